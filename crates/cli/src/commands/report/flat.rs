//! `pompeii report --flat`: the flat profile, with the sort keys of `pprof` and TAU's names of
//! threads.

use std::io::stdout;
use std::path::Path;

use anyhow::{Context, Result, anyhow};
use pompeii_model::Cube;
use pompeii_report::{FlatBy, FlatKey, FlatOf, FlatOptions};

use crate::experiment::{self, Damaged};
use crate::output::{print, print_json};
use crate::terminal::{Look, make_printable, shown};

/// Options of `report` for the flat profile.
#[derive(clap::Args)]
pub struct FlatArguments {
    /// Print a flat profile instead, as pprof of TAU does
    #[arg(long, conflicts_with_all = ["lines", "serial", "top"])]
    pub flat: bool,
    /// What a line of --flat is
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = By::Region, requires = "flat")]
    by: By,
    /// Whose values --flat shows: total, mean (of all threads), or a thread as TAU names it: n,c,t
    /// are its rank, 0, and its number in the process
    #[arg(long, value_name = "THREAD", default_value = "total", requires = "flat")]
    thread: String,
    /// By which column --flat sorts; the letters are those of pprof
    #[arg(
        long,
        value_name = "KEY",
        value_enum,
        default_value_t = Key::Inclusive,
        requires = "flat"
    )]
    sort: Key,
    /// Reverse the order of --flat
    #[arg(long, requires = "flat")]
    reverse: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum By {
    /// One construct, function or user region of the source
    Region,
    /// All constructs of a kind together
    Construct,
    /// A function together with the constructs in it
    Function,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Key {
    /// Number of visits (c)
    #[value(aliases = ["c", "calls"])]
    Visits,
    /// Visits of callees (b)
    #[value(aliases = ["b", "subrs"])]
    Callees,
    /// Time without callees (m)
    #[value(alias = "m")]
    Exclusive,
    /// Time with callees (t)
    #[value(aliases = ["t", "total"])]
    Inclusive,
    /// Time without callees of a visit (e)
    #[value(alias = "e")]
    ExclusivePerVisit,
    /// Time with callees of a visit (i)
    #[value(alias = "i")]
    InclusivePerVisit,
    /// Alphabetically
    Name,
}

/// Prints the flat profile of an experiment.
pub fn execute(name: &Path, damaged: Damaged, options: &FlatArguments, json: bool) -> Result<()> {
    let mut cube = experiment::measured(name, damaged)?;
    let of = options.whose(&cube, name)?;
    let flat = FlatOptions {
        by: options.by.into(),
        key: options.sort.into(),
        of,
        is_reversed: options.reverse,
    };
    let cannot = || format!("{} has no flat profile", shown(name));
    if json {
        let json = pompeii_report::flat_json(&cube, &flat).with_context(cannot)?;
        return print_json(&json);
    }
    cube.change_texts(&mut make_printable);
    // The number of findings does not matter here.
    let layout = Look::of(&stdout()).report(0);
    let text = pompeii_report::flat(&cube, &flat, &layout).with_context(cannot)?;
    print(&text)
}

impl FlatArguments {
    fn whose(&self, cube: &Cube, name: &Path) -> Result<FlatOf> {
        match self.thread.as_str() {
            "total" => Ok(FlatOf::Total),
            "mean" => Ok(FlatOf::Mean),
            thread => {
                let location = cube.system.location_named(thread);
                location.map(FlatOf::Location).ok_or_else(|| unknown(cube, name, thread))
            }
        }
    }
}

/// That there is no such thread, with the first and the last one that there are.
fn unknown(cube: &Cube, name: &Path, thread: &str) -> anyhow::Error {
    let mut all = cube.system.locations.ids();
    let known = match (all.next(), all.next_back()) {
        (Some(first), Some(last)) => {
            let [first, last] = [first, last].map(|it| cube.system.tau_name(it));
            format!("; its threads are {first} to {last}")
        }
        (Some(only), None) => format!("; its only thread is {}", cube.system.tau_name(only)),
        _ => String::new(),
    };
    let (name, thread) = (shown(name), shown(thread));
    anyhow!("{name} has no thread `{thread}`; expected total, mean, or n,c,t{known}")
}

impl From<By> for FlatBy {
    fn from(by: By) -> FlatBy {
        match by {
            By::Region => FlatBy::Region,
            By::Construct => FlatBy::Construct,
            By::Function => FlatBy::Function,
        }
    }
}

impl From<Key> for FlatKey {
    fn from(key: Key) -> FlatKey {
        match key {
            Key::Visits => FlatKey::Visits,
            Key::Callees => FlatKey::Callees,
            Key::Exclusive => FlatKey::Exclusive,
            Key::Inclusive => FlatKey::Inclusive,
            Key::ExclusivePerVisit => FlatKey::ExclusivePerVisit,
            Key::InclusivePerVisit => FlatKey::InclusivePerVisit,
            Key::Name => FlatKey::Name,
        }
    }
}
