//! Connections: hyper reads and writes HTTP, and this module says how long and how often. Every
//! user of the machine can connect, so a connection that says nothing, or says it slowly, must not
//! keep others out: there are few at once, and each has a limit for its head, from the first moment
//! on, and for its whole life. A long trace may need more time for an answer than a client may
//! have: while the server works on an answer, the connection stays.

use std::convert::Infallible;
use std::future::poll_fn;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use std::time::Duration;

use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};

use crate::guard::Guard;
use crate::reply::Reply;
use crate::routes;
use crate::session::Session;

/// The most bytes of a head that are read.
const HEAD_BYTES: usize = 8 << 10;
/// Pause after a connection that could not be taken: the process may have too many open files.
const PAUSE: Duration = Duration::from_millis(100);

/// How long and how many connections may be.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// For a whole head, from the begin of the connection or from the end of the request before:
    /// so it is a limit for the first byte, too.
    pub head: Duration,
    /// For all requests of a connection. It begins again if an answer is being worked on.
    pub connection: Duration,
    /// After that, for the answer that is being sent.
    pub ending: Duration,
    /// Connections at once; more wait.
    pub connections: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            head: Duration::from_secs(5),
            connection: Duration::from_secs(60),
            ending: Duration::from_secs(30),
            connections: 16,
        }
    }
}

/// Where connections come from.
pub enum Listener {
    Tcp(TcpListener),
    Unix(UnixListener),
}

enum Stream {
    Tcp(TcpStream),
    Unix(UnixStream),
}

/// What all connections use.
pub struct Shared {
    pub session: Arc<Session>,
    pub guard: Guard,
    pub limits: Limits,
}

/// Takes connections, without end.
pub async fn accept(listeners: Vec<Listener>, shared: Arc<Shared>) -> Infallible {
    let connections = Arc::new(Semaphore::new(shared.limits.connections));
    loop {
        // It is never closed.
        let Ok(permit) = connections.clone().acquire_owned().await else { continue };
        match next(&listeners).await {
            Ok(stream) => drop(tokio::spawn(connection(stream, shared.clone(), permit))),
            Err(_) => sleep(PAUSE).await,
        }
    }
}

/// The next connection of any listener.
async fn next(listeners: &[Listener]) -> io::Result<Stream> {
    poll_fn(|context| {
        for listener in listeners {
            let stream = match listener {
                Listener::Tcp(tcp) => {
                    tcp.poll_accept(context).map_ok(|(stream, _)| Stream::Tcp(stream))
                }
                Listener::Unix(unix) => {
                    unix.poll_accept(context).map_ok(|(stream, _)| Stream::Unix(stream))
                }
            };
            if stream.is_ready() {
                return stream;
            }
        }
        Poll::Pending
    })
    .await
}

/// One connection. Any fault ends it, without a message: the client is gone.
async fn connection(stream: Stream, shared: Arc<Shared>, permit: OwnedSemaphorePermit) {
    match stream {
        Stream::Tcp(stream) => {
            let _ = stream.set_nodelay(true);
            serve(stream, shared).await;
        }
        Stream::Unix(stream) => serve(stream, shared).await,
    }
    drop(permit);
}

async fn serve(stream: impl AsyncRead + AsyncWrite + Unpin, shared: Arc<Shared>) {
    let (limits, work) = (shared.limits, Work::default());
    let answer = |request: Request<Incoming>| {
        let (shared, work) = (shared.clone(), work.clone());
        async move {
            match shared.guard.refuse(&request) {
                Some(refusal) => refusal,
                None => {
                    let _working = work.begin();
                    routes::answer(&shared.session, &request).await
                }
            }
        }
    };
    serve_with(stream, limits, &work, answer).await;
}

/// Whether a connection has an answer that is being worked on.
#[derive(Clone, Default)]
struct Work(Arc<AtomicBool>);

/// Work on an answer, until this is dropped.
struct Working<'a>(&'a Work);

impl Work {
    fn begin(&self) -> Working<'_> {
        self.0.store(true, Ordering::Relaxed);
        Working(self)
    }

    fn is_going_on(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl Drop for Working<'_> {
    fn drop(&mut self) {
        self.0.0.store(false, Ordering::Relaxed);
    }
}

/// Serves a connection with what answers its requests, one after the other.
async fn serve_with<F: Future<Output = Reply>>(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    limits: Limits,
    work: &Work,
    answer: impl Fn(Request<Incoming>) -> F,
) {
    let service = service_fn(|request| {
        let reply = answer(request);
        async move { Ok::<_, Infallible>(reply.await.into_response()) }
    });
    let mut builder = http1::Builder::new();
    // Without a timer hyper would have no limit for heads.
    builder.timer(TokioTimer::new()).header_read_timeout(limits.head);
    builder.max_buf_size(HEAD_BYTES).half_close(false);
    let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), service));
    while timeout(limits.connection, connection.as_mut()).await.is_err() {
        if !work.is_going_on() {
            connection.as_mut().graceful_shutdown();
            let _ = timeout(limits.ending, connection).await;
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::thread;

    use tokio::runtime::Builder;

    use super::*;
    use crate::reply::JSON;

    #[test]
    fn an_answer_may_take_longer_than_a_connection() {
        let connection = Duration::from_millis(20);
        let limits = Limits { connection, ending: connection, ..Limits::default() };
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let mut client = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (server, _) = listener.accept().unwrap();
        server.set_nonblocking(true).unwrap();
        client.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
        let client = thread::spawn(move || {
            let mut text = String::new();
            client.read_to_string(&mut text).map(|_| text)
        });
        Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
            let work = Work::default();
            let slow = |_| async {
                let _working = work.begin();
                sleep(20 * connection).await;
                Reply::new(JSON, "[\"late\"]")
            };
            serve_with(TcpStream::from_std(server).unwrap(), limits, &work, slow).await;
        });
        let text = client.join().unwrap().unwrap();
        assert!(text.starts_with("HTTP/1.1 200") && text.ends_with("[\"late\"]"), "{text}");
    }
}
