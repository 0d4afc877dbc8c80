"use strict";

// A server computes; static files carry their runs in this place.
globalThis.hopsimStill = null;
