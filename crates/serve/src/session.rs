//! One open experiment. Report and call paths are there at once; the timeline is there when the
//! index of the trace is.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};

use pompeii_index::Index;
use pompeii_model::Cube;
use pompeii_otf2::read::MappedFile;
use pompeii_report::{Page, RunInfo};

use crate::answers::find::Searching;
use crate::answers::trees::Latest;
use crate::building::{self, IndexPlace};
use crate::instances::{self, Instance};
use crate::progress::Progress;
use crate::reply::Refused;
use crate::trace::{Trace, Unreadable};

/// What is known of an experiment besides its trace.
#[derive(Debug)]
pub struct Report {
    /// Its severities.
    pub cube: Cube,
    /// The same with more entries of the call tree, after those of `cube`, if the trees show more.
    pub trees: Option<Cube>,
    /// What the report says in addition.
    pub info: RunInfo,
}

/// What is viewed.
#[derive(Debug, Default)]
pub struct Viewed {
    /// The experiment or file, as the user names it.
    pub title: String,
    /// Its report; `None` if there is only a trace.
    pub report: Option<Report>,
    /// The anchor file of its trace, if there is one.
    pub anchor: Option<PathBuf>,
    /// The results of `pompeii analyze`, if there are any.
    pub analysis: Option<PathBuf>,
    /// The folder whose sources are shown.
    pub sources: Option<PathBuf>,
    /// Where an index may be, the best place first: in the experiment, then in caches.
    pub index_places: Vec<IndexPlace>,
}

/// An open experiment.
pub struct Session {
    pub(crate) viewed: Viewed,
    trace: Option<Trace>,
    unreadable: Option<Unreadable>,
    index: OnceLock<Index<MappedFile>>,
    progress: Progress,
    page: OnceLock<Page>,
    cube: OnceLock<String>,
    report: OnceLock<String>,
    files: OnceLock<Vec<String>>,
    instances: OnceLock<Vec<Instance>>,
    searching: Mutex<Option<Searching>>,
    trees: Latest,
}

impl Session {
    /// Opens an experiment. Events are not read yet. A trace that cannot be read is
    /// [`unreadable`](Session::unreadable), and the rest can be viewed.
    pub fn open(viewed: Viewed) -> Arc<Session> {
        let trace = viewed.anchor.as_deref().map(Trace::open);
        let (trace, unreadable) = match trace.transpose() {
            Ok(trace) => (trace, None),
            Err(error) => (None, Some(error)),
        };
        let progress = Progress::new(trace.as_ref().map_or(0, |trace| trace.survey.events));
        if let Some(error) = &unreadable {
            progress.end(Some(error.to_string()));
        }
        let session = Session {
            viewed,
            trace,
            unreadable,
            index: OnceLock::new(),
            progress,
            page: OnceLock::new(),
            cube: OnceLock::new(),
            report: OnceLock::new(),
            files: OnceLock::new(),
            instances: OnceLock::new(),
            searching: Mutex::new(None),
            trees: Latest::default(),
        };
        Arc::new(session)
    }

    /// Why the trace cannot be read.
    pub fn unreadable(&self) -> Option<&Unreadable> {
        self.unreadable.as_ref()
    }

    /// Opens the index, or builds it in the background. Returns the thread that does so.
    pub(crate) fn start(self: Arc<Session>) -> Option<JoinHandle<()>> {
        self.trace.as_ref()?;
        let work = move || {
            let Some(trace) = &self.trace else { return };
            match building::find_or_build(trace, &self.viewed.index_places, &self.progress) {
                Ok(index) => {
                    let _ = self.index.set(index);
                    self.progress.end(None);
                }
                Err(error) => self.progress.end(Some(error.to_string())),
            }
        };
        thread::Builder::new().name("index".to_owned()).spawn(work).ok()
    }

    /// Makes what every page asks for first, while the browser starts. Without the thread, the
    /// first questions take longer, and their answers are the same.
    pub(crate) fn prepare(self: Arc<Session>) {
        let work = move || {
            // In the order in which a page asks.
            self.first();
            self.cube();
        };
        let _ = thread::Builder::new().name("report".to_owned()).spawn(work);
    }

    /// How far the index is.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// What is wrong with the definitions of the trace.
    pub fn warnings(&self) -> &[String] {
        self.trace.as_ref().map_or(&[], |trace| &trace.warnings)
    }

    pub(crate) fn trace(&self) -> Result<&Trace, Refused> {
        self.trace.as_ref().ok_or_else(|| match &self.unreadable {
            Some(error) => Refused::Missing(error.to_string()),
            None => Refused::Missing("the experiment has no trace".to_owned()),
        })
    }

    /// The index of the trace, if it is there already.
    pub(crate) fn index(&self) -> Result<&Index<MappedFile>, Refused> {
        self.trace()?;
        if let Some(index) = self.index.get() {
            return Ok(index);
        }
        match self.progress.state().error {
            Some(error) => Err(Refused::Missing(error)),
            None => Err(Refused::NotReady),
        }
    }

    /// The report as JSON, made when it is needed first.
    pub(crate) fn report(&self) -> Option<&str> {
        let Report { cube, trees, info } = self.viewed.report.as_ref()?;
        let trees = trees.as_ref().unwrap_or(cube);
        Some(self.report.get_or_init(|| pompeii_report::json_trees((cube, trees), info)))
    }

    /// The begin of the overview as JSON; `None` if it is no sooner there than all of it.
    pub(crate) fn first(&self) -> Option<&str> {
        self.page()?.first()
    }

    fn page(&self) -> Option<&Page> {
        let Report { cube, trees, info } = self.viewed.report.as_ref()?;
        let trees = trees.as_ref().unwrap_or(cube);
        Some(self.page.get_or_init(|| Page::new((cube, trees), info)))
    }

    /// The data of the trees, made when it is needed first.
    pub(crate) fn cube(&self) -> Option<&str> {
        let Report { cube, trees, .. } = self.viewed.report.as_ref()?;
        let trees = trees.as_ref().unwrap_or(cube);
        let page = self.page()?;
        let json = || {
            let mut json = Vec::new();
            // Writing to memory fails on non-string keys only, and there are none.
            let _ = page.write(trees, &mut json);
            String::from_utf8(json).unwrap_or_default()
        };
        Some(self.cube.get_or_init(json))
    }

    /// Sources that regions name, each once: those of the trace, then those of the report.
    pub(crate) fn files(&self) -> &[String] {
        let list = || {
            let mut known = HashSet::new();
            let regions = self.trace.iter().flat_map(|trace| trace.definitions.regions.iter());
            let reported = self.viewed.report.iter().flat_map(|it| it.cube.regions.iter());
            let files = regions.chain(reported).map(|region| &region.file);
            files.filter(|file| !file.is_empty() && known.insert(*file)).cloned().collect()
        };
        self.files.get_or_init(list)
    }

    /// The search that goes on.
    pub(crate) fn searching(&self) -> MutexGuard<'_, Option<Searching>> {
        self.searching.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The question for the trees of a window that is being worked on.
    pub(crate) fn trees(&self) -> &Latest {
        &self.trees
    }

    /// The most severe instances of waiting.
    pub(crate) fn instances(&self) -> &[Instance] {
        let read = || match (&self.viewed.analysis, &self.trace) {
            (Some(file), Some(trace)) => instances::read(file, trace),
            _ => Vec::new(),
        };
        self.instances.get_or_init(read)
    }
}
