//! `pompeii view`: the experiment in a browser, served by this process on loopback until Ctrl-C.

use std::borrow::Cow;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use pompeii_finish::{MANIFEST_FILE, PROFILE_FILE};
use pompeii_serve::{IndexPlace, Limits, Place, Redirect, Report, Server, Session, Viewed};
use tempfile::TempDir;

use super::analyze::ANCHOR_FILE;
use super::reference::Compared;
use super::report;
use crate::analyzed_trace::JSON_FILE;
use crate::experiment::{self, Damaged};
use crate::output::{print, say};
use crate::packed::{self, Need};
use crate::progress::Progress;
use crate::terminal::{cannot, shown, shown_name};
use crate::{library, trust};

/// The index of a trace, in its experiment.
const INDEX_FILE: &str = "view.index";
/// The folder of indexes among the caches.
const CACHE: &str = "view";
/// Time between two looks at the progress of an index.
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);

/// Options of `view`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    pompeii view pompeii-20261120_1132_ab12cd34      in the browser of this computer
    pompeii view traced --no-open                    only print the address
    pompeii view scorep-run/traces.otf2              the timeline of any OTF2 archive
    pompeii view report.cubex                        the trees of any Cube report
    pompeii view traced --port 8080                  the same port each time, for ssh -L
    pompeii view traced --socket ~/view              for ssh -L 8080:/home/me/view")]
pub struct Arguments {
    /// The experiment, a Cube report (profile.cubex) or an OTF2 archive (traces.otf2)
    #[arg(value_name = "EXP")]
    experiment: PathBuf,
    #[command(flatten)]
    damaged: Damaged,
    /// Listen on this port [default: any free one]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// Listen on this socket, which only you can connect to, instead of a port
    #[arg(long, value_name = "PATH", conflicts_with = "port")]
    socket: Option<PathBuf>,
    /// Show sources that are below this folder [default: the current folder]
    #[arg(long, value_name = "DIR")]
    source: Option<PathBuf>,
    /// Do not start a browser
    #[arg(long)]
    no_open: bool,
}

/// Does it.
pub fn execute(arguments: &Arguments) -> Result<ExitCode> {
    let mut viewed = viewed(&arguments.experiment, arguments.damaged)?;
    viewed.sources = arguments.source.clone().or_else(|| env::current_dir().ok());
    let session = open(viewed)?;
    let place = match &arguments.socket {
        Some(path) => Place::Socket(path.clone()),
        None => Place::Port(arguments.port),
    };
    let listen = || match &arguments.socket {
        Some(path) => cannot("listen at", path),
        None => format!("cannot listen on port {}", arguments.port),
    };
    let server = Server::listen(place, session.clone(), Limits::default()).with_context(listen)?;
    print(&instructions(&server, arguments.socket.as_deref()))?;
    let browser = if arguments.no_open { None } else { Browser::start(&server) };
    let watching = session.progress().state().of > 0;
    let watcher = watching.then(|| thread::spawn(move || watch(&session)));
    server.run();
    watcher.map(thread::JoinHandle::join);
    drop(browser);
    Ok(ExitCode::SUCCESS)
}

/// What is to be viewed: an experiment with or without a trace, a report, or a trace.
fn viewed(named: &Path, damaged: Damaged) -> Result<Viewed> {
    let (title, typed) = (shown_name(named), named);
    let named = &experiment::shown_run(&packed::folder(typed, Need::Everything)?);
    let is_anchor = named.is_file() && named.extension() == Some(OsStr::new("otf2"));
    let parent = || named.parent().filter(|it| *it != Path::new("")).unwrap_or(Path::new("."));
    let folder = if is_anchor { parent() } else { named };
    let anchor = if is_anchor { named.to_owned() } else { folder.join(ANCHOR_FILE) };
    let is_experiment = folder.join(MANIFEST_FILE).exists();
    // An archive of another tool may lie next to a profile, or alone.
    let has_report = is_experiment || folder.join(PROFILE_FILE).exists();
    let mut viewed = Viewed { title, ..Viewed::default() };
    let mut is_running = false;
    if has_report || !anchor.exists() {
        let mut experiment = experiment::open(folder, damaged)?;
        if packed::is_packed(typed) {
            experiment.named = typed.to_owned();
        }
        is_running = experiment.is_running;
        let compared = Compared::with_its_own(&experiment);
        let info = report::run_info(&experiment, compared);
        let trees = match experiment.trees() {
            Cow::Owned(trees) => Some(trees),
            Cow::Borrowed(_) => None,
        };
        viewed.report = Some(Report { cube: experiment.cube, trees, info });
    }
    // The events of a program that is running are not in its experiment yet.
    if anchor.exists() && !is_running {
        viewed = Viewed { report: viewed.report, ..traced(folder, anchor, viewed.title) };
    }
    Ok(viewed)
}

/// The trace with this anchor file in a folder, without a report.
pub fn traced(folder: &Path, anchor: PathBuf, title: String) -> Viewed {
    let analysis = folder.join(JSON_FILE);
    Viewed {
        title,
        anchor: Some(anchor),
        analysis: analysis.exists().then_some(analysis),
        index_places: index_places(folder),
        ..Viewed::default()
    }
}

/// Where an index may be. Nothing is written next to the files of other tools.
fn index_places(folder: &Path) -> Vec<IndexPlace> {
    let is_experiment = folder.join(MANIFEST_FILE).exists();
    let own = is_experiment.then(|| IndexPlace::File(folder.join(INDEX_FILE)));
    // An index that others can change would show what they want.
    let mut caches = library::places(CACHE).into_iter();
    let cache = caches.find(|folder| trust::private_folder(folder).is_ok());
    own.into_iter().chain(cache.map(IndexPlace::Cache)).collect()
}

/// Opens the trace, too. If it cannot be read, the report is shown without it.
fn open(viewed: Viewed) -> Result<Arc<Session>> {
    let has_report = viewed.report.is_some();
    let anchor = viewed.anchor.clone().unwrap_or_default();
    let progress = Progress::of(format!("opening {}", shown(&anchor)));
    let session = Session::open(viewed);
    drop(progress);
    session.warnings().iter().for_each(|warning| say(format!("warning: {warning}")));
    match session.unreadable() {
        Some(error) if has_report => say(format!("warning: there is no timeline: {error}")),
        Some(error) => bail!("{error}"),
        None => {}
    }
    Ok(session)
}

/// What the user opens, and where from.
fn instructions(server: &Server, socket: Option<&Path>) -> String {
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = match host.trim() {
        "" => "HOST",
        host => host,
    };
    let (token, port) = (server.token().digits(), server.port());
    let way = |port: u16, to: &str| {
        format!(
            " From another computer: ssh -L {port}:{to} {host}\n \
             and open the same address there. Ctrl-C ends it.\n"
        )
    };
    match socket {
        None => format!(
            " Open http://127.0.0.1:{port}/#token={token}\n{}",
            way(port, &format!("127.0.0.1:{port}"))
        ),
        Some(path) => {
            let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
            let path = pompeii_finish::quoted(&path);
            format!(" Open http://127.0.0.1:8080/#token={token}\n{}", way(8080, &path))
        }
    }
}

/// Shows how far the index is, until it is there.
fn watch(session: &Session) {
    let progress = session.progress();
    let line = Progress::events("indexing the trace".to_owned(), progress.state().of);
    while !progress.has_ended() {
        line.done.store(progress.state().events, Relaxed);
        thread::sleep(BETWEEN_LOOKS);
    }
    drop(line);
    if let (Some(why), false) = (progress.state().error, progress.is_stopped()) {
        say(format!("warning: there is no timeline: {why}"));
    }
}

/// A browser that was started, and the file that leads it to the page.
struct Browser {
    process: Child,
    _redirect: Redirect,
    _folder: TempDir,
}

impl Browser {
    /// Starts the browser of the desktop, if there is one: not on a computer that the user has
    /// logged into from another one. The address has been printed, so a failure is none.
    fn start(server: &Server) -> Option<Browser> {
        let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
        let has_desktop = is_set("DISPLAY") || is_set("WAYLAND_DISPLAY");
        if server.port() == 0 || !has_desktop || is_set("SSH_CONNECTION") {
            return None;
        }
        let folder = trust::fresh_folder("pompeii-view-").ok()?;
        let (port, token) = (server.port(), server.token().digits());
        let address = format!("http://127.0.0.1:{port}/#token={token}");
        let redirect = Redirect::new(folder.path(), &address).ok()?;
        let mut command = Command::new("xdg-open");
        command.arg(redirect.path()).stdin(Stdio::null());
        let process = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok()?;
        Some(Browser { process, _redirect: redirect, _folder: folder })
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It has mostly ended long ago; a browser that goes on is the user's.
        let _ = self.process.try_wait();
    }
}
