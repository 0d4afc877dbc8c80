//! The page itself: the files that the browser loads, all of them inside the binary.
//!
//! Knows names and types. Must not know what the scripts do.

/// A file of the page.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asset {
    /// Its name.
    pub name: &'static str,
    /// Its media type.
    pub media: &'static str,
    /// Its text.
    pub text: &'static str,
}

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const PICTURE: &str = "image/svg+xml";

macro_rules! assets {
    ($($name:literal $media:ident),* $(,)?) => {
        &[$(Asset { name: $name, media: $media, text: include_str!(concat!("page/", $name)) }),*]
    };
}

/// The files; the first is the page.
pub(super) const ASSETS: &[Asset] = assets! {
    "index.html" HTML,
    "style.css" CSS,
    "icon.svg" PICTURE,
    "data.js" SCRIPT,
    "words.js" SCRIPT,
    "state.js" SCRIPT,
    "source.js" SCRIPT,
    "controls.js" SCRIPT,
    "node.js" SCRIPT,
    "motion.js" SCRIPT,
    "figures.js" SCRIPT,
    "curve.js" SCRIPT,
    "lessons.js" SCRIPT,
    "page.js" SCRIPT,
};

/// The file of that name.
pub(super) fn asset(name: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_loads_nothing_but_its_own_files() {
        let page = ASSETS[0].text;
        let named = page.match_indices("src=\"").chain(page.match_indices("href=\""));
        let names = named.filter_map(|(at, opening)| page[at + opening.len()..].split('"').next());
        for name in names.filter(|name| !name.starts_with('#')) {
            assert!(asset(name).is_some(), "{name}");
        }
    }

    #[test]
    fn no_file_names_an_address_outside() {
        for asset in ASSETS {
            let outside = asset.text.replace("http://www.w3.org/", "");
            assert!(!outside.contains("http://") && !outside.contains("https://"), "{}", asset.name);
        }
    }
}
