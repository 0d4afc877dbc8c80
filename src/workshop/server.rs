//! The server: doors, connections, and who answers which address.
//!
//! Knows addresses and limits of connections. Must not know what an answer says.

use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Path, Query, RawQuery, Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::routing::get;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::Fault;

use super::answer;
use super::ask::Parameters;
use super::assets::{ASSETS, asset};
use super::desk::Desk;
use super::room::Refusal;

/// Connections at a time; a browser opens six.
const MOST_CONNECTIONS: usize = 512;
/// How long a request's head may take to come.
const HEAD: Duration = Duration::from_secs(10);
/// The longest query, in characters.
const LONGEST_QUERY: usize = 4096;
/// How long runs have to notice that the server ends.
const GRACE: Duration = Duration::from_millis(300);

/// Where the server listens.
#[derive(Clone, Copy, Debug)]
pub struct Doors {
    /// The address of the network interface.
    pub address: IpAddr,
    /// The port; 0 takes a free one.
    pub port: u16,
}

/// Serves until the process is interrupted or told to end. `ready` is told the address once the doors are open.
///
/// # Errors
/// A [`Fault`] if the doors do not open.
pub fn serve(desk: Desk, doors: Doors, ready: impl FnOnce(SocketAddr)) -> Result<(), Fault> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|error| Fault::new(format!("the server cannot start: {error}")))?;
    let end = runtime.block_on(async {
        let listener = open(doors).await?;
        let address = listener.local_addr().map_err(|error| Fault::new(format!("no address: {error}")))?;
        ready(address);
        tokio::select! {
            () = welcome(listener, routes(Arc::new(desk), address.ip().is_loopback())) => {}
            () = told_to_end() => {}
        }
        Ok(())
    });
    // Whoever waits for a run is sent away, which calls the run off.
    runtime.shutdown_timeout(GRACE);
    end
}

async fn open(doors: Doors) -> Result<TcpListener, Fault> {
    let address = SocketAddr::new(doors.address, doors.port);
    TcpListener::bind(address).await.map_err(|error| {
        let fault = Fault::new(format!("cannot listen on {address}: {}", error.kind()));
        fault.help("take another --port, or none for a free one; --address must be one of this machine")
    })
}

async fn told_to_end() {
    let interrupted = async {
        // Where signals cannot be heard, the process ends in the system's own way.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        () = interrupted => {}
        () = terminated() => {}
    }
}

#[cfg(unix)]
async fn terminated() {
    match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
        Ok(mut signal) => drop(signal.recv().await),
        Err(_) => std::future::pending().await,
    }
}

#[cfg(not(unix))]
fn terminated() -> impl Future<Output = ()> {
    std::future::pending()
}

/// Lets connections in, so many at a time.
async fn welcome(listener: TcpListener, routes: Router) {
    let room = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    loop {
        let Ok(permit) = room.clone().acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, _)) => drop(tokio::spawn(talk(stream, routes.clone(), permit))),
            // Too many open files, say: a little later there may be fewer.
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
}

/// Talks to one browser over one connection.
fn talk(stream: TcpStream, routes: Router, permit: OwnedSemaphorePermit) -> impl Future<Output = ()> + Send {
    let mut builder = hyper::server::conn::http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD);
    async move {
        // A browser that goes away in the middle is no failure of ours.
        let _ = builder.serve_connection(TokioIo::new(stream), TowerToHyperService::new(routes)).await;
        drop(permit);
    }
}

fn routes(desk: Arc<Desk>, only_local: bool) -> Router {
    let names = middleware::from_fn(move |request, next| own_name(only_local, request, next));
    Router::new()
        .route("/", get(|| async { answer::file(&ASSETS[0]) }))
        .route("/{file}", get(file))
        .route("/api/scenarios", get(scenarios))
        .route("/api/point", get(point))
        .route("/api/curve", get(curve))
        .route("/api/lessons", get(lessons))
        .route("/api/lesson/{name}", get(lesson))
        .fallback(|| async { nothing() })
        .with_state(desk)
        .layer(middleware::from_fn(short_query))
        .layer(names)
        .layer(middleware::map_response(|response: Response| async { answer::guarded(response) }))
}

fn nothing() -> Response {
    let fault = Fault::new("there is nothing at this address").help("the page is at /");
    answer::fault(StatusCode::NOT_FOUND, &fault)
}

/// A server for this machine alone answers to this machine's own names, so that no page from elsewhere reaches it by one
/// of its names.
async fn own_name(only_local: bool, request: Request, next: Next) -> Response {
    let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    if only_local && !is_local(host) {
        let fault = Fault::new("this server answers to localhost alone").help("open the address that it printed");
        return answer::fault(StatusCode::FORBIDDEN, &fault);
    }
    next.run(request).await
}

fn is_local(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

async fn short_query(RawQuery(query): RawQuery, request: Request, next: Next) -> Response {
    if query.is_some_and(|query| query.len() > LONGEST_QUERY) {
        return answer::fault(StatusCode::URI_TOO_LONG, &Fault::new("the question is too long"));
    }
    next.run(request).await
}

async fn file(Path(name): Path<String>) -> Response {
    asset(&name).map_or_else(nothing, answer::file)
}

async fn scenarios(State(desk): State<Arc<Desk>>) -> Result<Response, Refusal> {
    desk.scenarios().await.map(answer::json)
}

async fn point(State(desk): State<Arc<Desk>>, Query(query): Query<Parameters>) -> Result<Response, Refusal> {
    desk.point(query).await.map(answer::json)
}

async fn curve(State(desk): State<Arc<Desk>>, Query(query): Query<Parameters>) -> Result<Response, Refusal> {
    desk.curve(query).await.map(answer::json)
}

async fn lessons(State(desk): State<Arc<Desk>>) -> Response {
    answer::json(desk.lesson_titles())
}

async fn lesson(State(desk): State<Arc<Desk>>, Path(name): Path<String>) -> Result<Response, Refusal> {
    desk.lesson(&name).await.map(answer::json)
}

#[cfg(test)]
mod tests {
    use super::is_local;

    #[test]
    fn only_names_of_this_machine_are_local() {
        for host in ["localhost", "localhost:8080", "127.0.0.1:80", "[::1]:80"] {
            assert!(is_local(host), "{host}");
        }
        for host in ["", "example.org", "localhost.example.org:80", "10.0.0.1", "127.0.0.1.example.org"] {
            assert!(!is_local(host), "{host}");
        }
    }
}
