//! A server that listens, from its start to its end.

use std::fs::{self, Permissions};
use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::Notify;

use crate::guard::Guard;
use crate::http::{self, Limits, Listener, Shared};
use crate::session::Session;
use crate::token::Token;

/// Threads that answer questions which read the trace.
const QUERY_THREADS: usize = 2;
/// Ports that are tried until one is free for both kinds of addresses.
const TRIES: usize = 16;
/// The signal of a process that writes more into a file than its user allows (SIGXFSZ). It ends the
/// process; with a handler, writing fails as on a full disk instead.
const FILE_TOO_LARGE: i32 = 25;
/// The name of a socket until it has its mode.
const SOCKET_NAME: &str = "socket";

/// Where a server listens.
#[derive(Clone, Debug)]
pub enum Place {
    /// On 127.0.0.1 and, if there is such an address, [::1]. Port 0 is any free one.
    Port(u16),
    /// On a socket that only its owner can connect to.
    Socket(PathBuf),
}

/// A server that listens and does not answer yet.
pub struct Server {
    runtime: Runtime,
    listeners: Vec<Listener>,
    shared: Arc<Shared>,
    token: Token,
    place: Place,
    /// From the begin on, so that a signal before the first answer is an end like any other.
    signals: Signals,
    stop: Stop,
}

/// Ends a server from another thread.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<Notify>);

impl Stop {
    /// Ends it.
    pub fn stop(&self) {
        self.0.notify_one();
    }
}

impl Server {
    /// Listens at a place.
    ///
    /// # Errors
    /// What the system says, for example that the port is in use.
    pub fn listen(place: Place, session: Arc<Session>, limits: Limits) -> io::Result<Server> {
        let token = Token::new()?;
        let runtime = Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(QUERY_THREADS)
            .build()?;
        let entered = runtime.enter();
        let (listeners, place) = match place {
            Place::Port(port) => {
                let (listeners, port) = on_loopback(port)?;
                let to_tokio = |listener: TcpListener| {
                    listener.set_nonblocking(true)?;
                    tokio::net::TcpListener::from_std(listener).map(Listener::Tcp)
                };
                let listeners: io::Result<_> = listeners.into_iter().map(to_tokio).collect();
                (listeners?, Place::Port(port))
            }
            Place::Socket(path) => {
                let listener = on_socket(&path)?;
                listener.set_nonblocking(true)?;
                let listener = tokio::net::UnixListener::from_std(listener)?;
                (vec![Listener::Unix(listener)], Place::Socket(path))
            }
        };
        let signals = Signals::new()?;
        // The handler stays when this is dropped.
        drop(signal(SignalKind::from_raw(FILE_TOO_LARGE))?);
        drop(entered);
        let guard = Guard::new(token.clone());
        let shared = Arc::new(Shared { session, guard, limits });
        let stop = Stop::default();
        Ok(Server { runtime, listeners, shared, token, place, signals, stop })
    }

    /// The token that the page sends.
    pub fn token(&self) -> &Token {
        &self.token
    }

    /// The port; 0 for a socket.
    pub fn port(&self) -> u16 {
        match self.place {
            Place::Port(port) => port,
            Place::Socket(_) => 0,
        }
    }

    /// Ends [`run`](Server::run).
    pub fn stop(&self) -> Stop {
        self.stop.clone()
    }

    /// Prepares the report, builds the index, if there is none, and answers until a signal (Ctrl-C)
    /// or [`Stop`] ends it.
    pub fn run(self) {
        let Server { runtime, listeners, shared, place, mut signals, stop, .. } = self;
        shared.session.clone().prepare();
        let building = shared.session.clone().start();
        runtime.block_on(async {
            tokio::select! {
                never = http::accept(listeners, shared.clone()) => match never {},
                () = signals.any() => {}
                () = stop.0.notified() => {}
            }
        });
        if let Place::Socket(path) = place {
            let _ = fs::remove_file(path);
        }
        // A part of an index is removed by the thread that writes it.
        shared.session.progress().stop();
        if let Some(building) = building {
            let _ = building.join();
        }
        runtime.shutdown_background();
    }
}

/// The signals that end a server: those of Ctrl-C, `kill` and a terminal that is closed.
struct Signals([Signal; 3]);

impl Signals {
    fn new() -> io::Result<Signals> {
        let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
        let [one, two, three] = kinds.map(signal);
        Ok(Signals([one?, two?, three?]))
    }

    async fn any(&mut self) {
        let [one, two, three] = &mut self.0;
        tokio::select! {
            _ = one.recv() => {}
            _ = two.recv() => {}
            _ = three.recv() => {}
        }
    }
}

/// The same port for both kinds of addresses. If another user had it for one of them, `localhost`
/// in an address or in `ssh -L` could lead to that user.
fn on_loopback(port: u16) -> io::Result<(Vec<TcpListener>, u16)> {
    for attempt in 1.. {
        let four = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))?;
        let bound = four.local_addr()?.port();
        match TcpListener::bind(SocketAddr::from((Ipv6Addr::LOCALHOST, bound))) {
            Ok(six) => return Ok((vec![four, six], bound)),
            Err(error) if error.kind() != ErrorKind::AddrInUse => return Ok((vec![four], bound)),
            Err(error) if port != 0 || attempt == TRIES => return Err(error),
            Err(_) => {}
        }
    }
    Err(ErrorKind::AddrInUse.into())
}

/// A socket at `path`, which has its mode before anybody can see it: it is made in a folder of the
/// user alone, and then moved.
fn on_socket(path: &Path) -> io::Result<UnixListener> {
    if path.symlink_metadata().is_ok() {
        return Err(ErrorKind::AlreadyExists.into());
    }
    let parent = path.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
    let folder = parent.join(format!(".pompeii-{}", std::process::id()));
    fs::DirBuilder::new().create(&folder)?;
    let made = fs::set_permissions(&folder, Permissions::from_mode(0o700)).and_then(|()| {
        let fresh = folder.join(SOCKET_NAME);
        let listener = UnixListener::bind(&fresh)?;
        fs::set_permissions(&fresh, Permissions::from_mode(0o600))?;
        fs::rename(&fresh, path)?;
        Ok(listener)
    });
    if made.is_err() {
        let _ = fs::remove_file(folder.join(SOCKET_NAME));
    }
    let _ = fs::remove_dir(&folder);
    made
}
