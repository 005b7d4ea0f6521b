//! The definitions log: what ids in nodes and events stand for. Each record is
//! `u32 length, u8 tag, fields`; strings are `u32 length, bytes`. A reader takes whole records
//! up to the published length and skips tags that it does not know.

use pompeii_model::Role;

use crate::metrics::MetricUnit;
use crate::mpi::{MPI_TAGS_FIRST, MPI_TAGS_LAST, MpiDefinition};

/// Writes the kinds down once: as the type, and as the list of all.
macro_rules! kinds {
    ($($kind:ident,)*) => {
        /// What kind of construct a region is, as the runtime knows it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        #[allow(missing_docs, reason = "the names are OpenMP constructs, classes of MPI functions")]
        pub enum RegionKind { $($kind),* }

        impl RegionKind {
            /// All kinds; a kind's position is its tag.
            pub const ALL: &[RegionKind] = &[$(RegionKind::$kind),*];
        }
    };
}

/// The kinds: those of OpenMP are the rows of the model's table, under the same names.
macro_rules! region_kinds {
    ($(
        $openmp:ident: $word:literal $names:tt $how:ident $otf2:ident $summable:ident $code:ident,
    )*) => {
        kinds! {
            Program, Tasks, User, Function, Off, Parameter,
            $($openmp,)*
            MpiPointToPoint, MpiBarrier, MpiOneToAll, MpiAllToOne, MpiAllToAll, MpiCollective,
            MpiInitExit, MpiCommunicator, MpiOneSided, MpiSynchronisation, MpiWindow, MpiFile,
            MpiFileCollective, MpiFileManagement, MpiOther, Io, ThreadStart, ThreadLock,
            ThreadOther,
        }

        impl RegionKind {
            /// The role of a construct of OpenMP; `None` for everything else.
            pub fn openmp(self) -> Option<Role> {
                match self {
                    $(Self::$openmp => Some(Role::$openmp),)*
                    _ => None,
                }
            }

            /// What the guard may sum of a construct of OpenMP.
            pub fn summable(self) -> Summable {
                match self {
                    $(Self::$openmp => Summable::$summable,)*
                    _ => Summable::Never,
                }
            }
        }
    };
}

pompeii_model::openmp_roles!(region_kinds);

/// What the guard may sum: visits of a construct that are short and frequent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Summable {
    /// Nothing: it is long, or its visits have a meaning for other threads.
    Never,
    /// Visits without anything measured inside.
    Alone,
    /// Visits without anything measured inside but the body of the construct.
    WithBody,
}

impl RegionKind {
    /// Whether it is a function of MPI.
    pub fn is_mpi(self) -> bool {
        (Self::MpiPointToPoint as u8..=Self::MpiOther as u8).contains(&(self as u8))
    }

    /// Whether it is the part of a construct that one thread at a time, or one alone, executes.
    pub fn is_body(self) -> bool {
        self.openmp().is_some_and(Role::is_body)
    }
}

/// The type of a parameter's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[allow(missing_docs, reason = "the names say it")]
pub enum ParameterKind {
    Int,
    Unsigned,
    Text,
}

impl ParameterKind {
    /// All kinds; a kind's position is its tag.
    const ALL: [Self; 3] = [Self::Int, Self::Unsigned, Self::Text];
}

/// One record of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Definition {
    /// A region; ids are dense in the order of definition.
    Region {
        /// Id used in nodes and events.
        id: u32,
        /// Kind of construct.
        kind: RegionKind,
        /// First line, 0 where unknown.
        begin_line: u32,
        /// Last line, 0 where unknown.
        end_line: u32,
        /// Display name.
        name: String,
        /// Source file, empty where unknown.
        file: String,
        /// How it runs: its clauses, and words of ours (see `pomp.h`).
        clauses: String,
    },
    /// A communicator: the threads of teams that `master` forks with `size` threads one level
    /// below its own.
    Communicator {
        /// Id used in events.
        id: u32,
        /// Location that forks.
        master: u32,
        /// Threads.
        size: u32,
    },
    /// The communicator of all threads that the program creates.
    CreatedThreads {
        /// Id used in events, one row with those of [`Definition::Communicator`].
        id: u32,
    },
    /// The same for teams that `master` forks as the thread 0 of another team of its own.
    NestedCommunicator {
        /// Id used in events, one row with those of [`Definition::Communicator`].
        id: u32,
        /// Location that forks.
        master: u32,
        /// Nesting level of the teams, as in [`LocationHeader`](crate::LocationHeader).
        level: u32,
        /// Threads.
        size: u32,
    },
    /// A chunk of a location's events that could not be kept. It is no definition, but comes as
    /// rarely, and has to outlive the process as well.
    Dropped {
        /// Whose.
        location: u32,
        /// The number that it would have had.
        chunk: u64,
        /// How many events it held.
        events: u64,
        /// Time of the first.
        from: u64,
        /// Time of the last.
        until: u64,
    },
    /// From now on visits of a call path are summed in the trace, or no longer.
    Guarded {
        /// Its region.
        region: u32,
        /// Metric class of the region's sums.
        class: u32,
        /// Its location.
        location: u32,
        /// Its node.
        node: u32,
        /// When, in ticks.
        at: u64,
        /// Whether it begins.
        begins: bool,
    },
    /// A function is excluded from now on, because measuring it takes longer than the function.
    Excluded {
        /// Its region.
        region: u32,
        /// How often it had been visited, on all threads.
        visits: u64,
        /// When, in ticks.
        at: u64,
    },
    /// A parameter of the program's; ids are dense in the order of definition.
    Parameter {
        /// Id used in nodes and events.
        id: u32,
        /// The type of its values.
        kind: ParameterKind,
        /// Its name.
        name: String,
    },
    /// A string that is the value of parameters. Those that are not empty have ids from 1 on.
    ParameterText {
        /// Id used in events.
        id: u32,
        /// The string.
        text: String,
    },
    /// A file with code that was loaded; ids are dense in the order of definition.
    Object {
        /// Id used in call sites.
        id: u32,
        /// Where it was.
        path: String,
        /// Its build id in hexadecimal digits; empty where it has none.
        build_id: String,
    },
    /// From where a region, which is a routine that was called there, is entered.
    CallSite {
        /// The region.
        region: u32,
        /// The object that has the call.
        object: u32,
        /// An address of its file inside the call, that is, without the load base.
        address: u64,
    },
    /// One of the calls that were under way when a region was entered for the first time. Those of
    /// a region follow each other, the innermost one first.
    Caller {
        /// The region.
        region: u32,
        /// The object that has the call.
        object: u32,
        /// An address of its file inside the call, that is, without the load base.
        address: u64,
    },
    /// Where in the code a construct is whose program has no descriptors: its regions have no
    /// source until `finish` knows the address.
    Construct {
        /// The region.
        region: u32,
        /// The object that has the code.
        object: u32,
        /// An address of its file, that is, without the load base.
        address: u64,
        /// It is the first of the construct's own function, which the compiler has made of its
        /// body; otherwise it is inside the call that the construct has become.
        is_function: bool,
    },
    /// Tasks have items of `depend` clauses, up to this number of them. The last one counts.
    DependItems {
        /// The number.
        count: u32,
    },
    /// A metric that was asked for; those that are counted have ids in the order of the log.
    Metric {
        /// Its name.
        name: String,
        /// What is counted.
        unit: MetricUnit,
        /// It is a mark that only grows, and one of the whole process.
        mark: bool,
        /// Why it is not counted; empty where it is.
        missing: String,
    },
    /// How metrics are read.
    MetricReading {
        /// At every event, without a system call; otherwise at the borders of parallel regions,
        /// user regions, functions and tasks.
        everywhere: bool,
        /// What one reading of all takes, in nanoseconds.
        cost_ns: u64,
    },
    /// One of MPI, see [`MpiDefinition`].
    Mpi(MpiDefinition),
}

impl Definition {
    /// Appends the record to `log`.
    pub fn encode(&self, log: &mut Vec<u8>) {
        let start = log.len();
        log.extend([0; 4]);
        match self {
            Definition::Region { id, kind, begin_line, end_line, name, file, clauses } => {
                log.extend([1, *kind as u8]);
                put_numbers(log, &[*id, *begin_line, *end_line]);
                [name, file, clauses].into_iter().for_each(|text| put_text(log, text));
            }
            Definition::Communicator { id, master, size } => {
                put_tagged(log, 2, &[*id, *master, *size]);
            }
            Definition::NestedCommunicator { id, master, level, size } => {
                put_tagged(log, 3, &[*id, *master, *level, *size]);
            }
            Definition::Dropped { location, chunk, events, from, until } => {
                put_tagged(log, 20, &[*location]);
                let numbers = [chunk, events, from, until].into_iter();
                numbers.for_each(|number| log.extend(number.to_le_bytes()));
            }
            Definition::Guarded { region, class, location, node, at, begins } => {
                log.extend([10, u8::from(*begins)]);
                put_numbers(log, &[*region, *class, *location, *node]);
                log.extend(at.to_le_bytes());
            }
            Definition::Excluded { region, visits, at } => {
                put_tagged(log, 11, &[*region]);
                [visits, at].into_iter().for_each(|number| log.extend(number.to_le_bytes()));
            }
            Definition::Parameter { id, kind, name } => {
                log.extend([35, *kind as u8]);
                log.extend(id.to_le_bytes());
                put_text(log, name);
            }
            Definition::ParameterText { id, text } => {
                log.push(36);
                log.extend(id.to_le_bytes());
                put_text(log, text);
            }
            Definition::Object { id, path, build_id } => {
                log.push(37);
                log.extend(id.to_le_bytes());
                [path, build_id].into_iter().for_each(|text| put_text(log, text));
            }
            Definition::CallSite { region, object, address } => {
                put_call(log, 38, [*region, *object], *address);
            }
            Definition::Caller { region, object, address } => {
                put_call(log, 39, [*region, *object], *address);
            }
            Definition::Construct { region, object, address, is_function } => {
                put_call(log, 60, [*region, *object], *address).push(u8::from(*is_function));
            }
            Definition::CreatedThreads { id } => put_tagged(log, 62, &[*id]),
            Definition::DependItems { count } => put_tagged(log, 61, &[*count]),
            Definition::Metric { name, unit, mark, missing } => {
                log.extend([30, *unit as u8, u8::from(*mark)]);
                [name, missing].into_iter().for_each(|text| put_text(log, text));
            }
            Definition::MetricReading { everywhere, cost_ns } => {
                log.extend([31, u8::from(*everywhere)]);
                log.extend(cost_ns.to_le_bytes());
            }
            Definition::Mpi(definition) => definition.encode(log),
        }
        let length = (log.len() - start - 4) as u32;
        log[start..start + 4].copy_from_slice(&length.to_le_bytes());
    }

    /// All whole records of `log`; stops at the first that is damaged.
    pub fn decode_all(log: &[u8]) -> Vec<Definition> {
        let mut found = Vec::new();
        let mut rest = Fields(log);
        while let Some(length) = rest.number() {
            let Some(record) = rest.bytes(length as usize) else { break };
            match Self::decode(Fields(record)) {
                Some(Some(definition)) => found.push(definition),
                Some(None) => {}
                None => break,
            }
        }
        found
    }

    /// `None` for a damaged record, `Some(None)` for one of an unknown tag.
    fn decode(mut fields: Fields<'_>) -> Option<Option<Self>> {
        match fields.byte()? {
            1 => {
                let kind = *RegionKind::ALL.get(fields.byte()? as usize)?;
                let (id, begin_line, end_line) =
                    (fields.number()?, fields.number()?, fields.number()?);
                let (name, file, clauses) = (fields.text()?, fields.text()?, fields.text()?);
                Some(Some(Self::Region { id, kind, begin_line, end_line, name, file, clauses }))
            }
            2 => {
                let (id, master, size) = (fields.number()?, fields.number()?, fields.number()?);
                Some(Some(Self::Communicator { id, master, size }))
            }
            3 => {
                let (id, master) = (fields.number()?, fields.number()?);
                let (level, size) = (fields.number()?, fields.number()?);
                Some(Some(Self::NestedCommunicator { id, master, level, size }))
            }
            62 => Some(Some(Self::CreatedThreads { id: fields.number()? })),
            20 => {
                let (location, chunk) = (fields.number()?, fields.long()?);
                let (events, from, until) = (fields.long()?, fields.long()?, fields.long()?);
                Some(Some(Self::Dropped { location, chunk, events, from, until }))
            }
            10 => {
                let begins = fields.byte()? != 0;
                let (region, class) = (fields.number()?, fields.number()?);
                let (location, node, at) = (fields.number()?, fields.number()?, fields.long()?);
                Some(Some(Self::Guarded { region, class, location, node, at, begins }))
            }
            11 => {
                let region = fields.number()?;
                Some(Some(Self::Excluded { region, visits: fields.long()?, at: fields.long()? }))
            }
            30 => {
                let unit = *MetricUnit::ALL.get(fields.byte()? as usize)?;
                let mark = fields.byte()? != 0;
                let (name, missing) = (fields.text()?, fields.text()?);
                Some(Some(Self::Metric { name, unit, mark, missing }))
            }
            31 => {
                let everywhere = fields.byte()? != 0;
                Some(Some(Self::MetricReading { everywhere, cost_ns: fields.long()? }))
            }
            35 => {
                let kind = *ParameterKind::ALL.get(fields.byte()? as usize)?;
                Some(Some(Self::Parameter { id: fields.number()?, kind, name: fields.text()? }))
            }
            36 => Some(Some(Self::ParameterText { id: fields.number()?, text: fields.text()? })),
            37 => {
                let (id, path, build_id) = (fields.number()?, fields.text()?, fields.text()?);
                Some(Some(Self::Object { id, path, build_id }))
            }
            61 => Some(Some(Self::DependItems { count: fields.number()? })),
            tag @ (38 | 39 | 60) => Self::decode_call(tag, &mut fields).map(Some),
            tag @ MPI_TAGS_FIRST..=MPI_TAGS_LAST => {
                MpiDefinition::decode(tag, &mut fields).map(|known| known.map(Self::Mpi))
            }
            _ => Some(None),
        }
    }

    /// One with a region, and an address in an object.
    fn decode_call(tag: u8, fields: &mut Fields<'_>) -> Option<Self> {
        let (region, object, address) = (fields.number()?, fields.number()?, fields.long()?);
        Some(match tag {
            38 => Self::CallSite { region, object, address },
            39 => Self::Caller { region, object, address },
            _ => {
                let is_function = fields.byte()? != 0;
                Self::Construct { region, object, address, is_function }
            }
        })
    }
}

/// A region and an object, and an address in the object.
fn put_call(log: &mut Vec<u8>, tag: u8, ids: [u32; 2], address: u64) -> &mut Vec<u8> {
    log.push(tag);
    ids.into_iter().for_each(|id| log.extend(id.to_le_bytes()));
    log.extend(address.to_le_bytes());
    log
}

fn put_tagged(log: &mut Vec<u8>, tag: u8, numbers: &[u32]) {
    log.push(tag);
    put_numbers(log, numbers);
}

fn put_numbers(log: &mut Vec<u8>, numbers: &[u32]) {
    numbers.iter().for_each(|number| log.extend(number.to_le_bytes()));
}

fn put_text(log: &mut Vec<u8>, text: &str) {
    log.extend((text.len() as u32).to_le_bytes());
    log.extend(text.as_bytes());
}

pub(crate) struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn bytes(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }
    pub(crate) fn byte(&mut self) -> Option<u8> {
        self.bytes(1).map(|bytes| bytes[0])
    }
    pub(crate) fn number(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.bytes(4)?.try_into().ok()?))
    }
    pub(crate) fn long(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.bytes(8)?.try_into().ok()?))
    }
    pub(crate) fn text(&mut self) -> Option<String> {
        let length = self.number()?;
        Some(String::from_utf8_lossy(self.bytes(length as usize)?).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_come_back() {
        let unit = MetricUnit::Nanoseconds;
        let (name, missing) = ("task-clock".to_owned(), "not there".to_owned());
        let written = [
            Definition::Metric { name, unit, mark: false, missing },
            Definition::MetricReading { everywhere: true, cost_ns: 312 },
            Definition::DependItems { count: 3 },
        ];
        let mut log = Vec::new();
        written.iter().for_each(|definition| definition.encode(&mut log));
        assert_eq!(Definition::decode_all(&log), written);
    }

    #[test]
    fn parameters_come_back() {
        let mut log = Vec::new();
        let written: Vec<Definition> = ParameterKind::ALL
            .into_iter()
            .map(|kind| Definition::Parameter { id: kind as u32, kind, name: "n".into() })
            .chain([Definition::ParameterText { id: 1, text: "value".into() }])
            .collect();
        written.iter().for_each(|definition| definition.encode(&mut log));
        assert_eq!(Definition::decode_all(&log), written);
    }

    #[test]
    fn call_sites_come_back() {
        let mut log = Vec::new();
        let written = [
            Definition::Object { id: 0, path: "/bin/a".into(), build_id: "0aff".into() },
            Definition::CallSite { region: 7, object: 0, address: 1 << 40 },
            Definition::Caller { region: 8, object: 0, address: 1 << 41 },
            Definition::Construct { region: 9, object: 0, address: 1 << 42, is_function: true },
        ];
        written.iter().for_each(|definition| definition.encode(&mut log));
        assert_eq!(Definition::decode_all(&log), written);
    }

    #[test]
    fn records_come_back_up_to_the_damage() {
        let region = Definition::Region {
            id: 3,
            kind: RegionKind::TaskCreate,
            begin_line: 12,
            end_line: 14,
            name: "!$omp create task @a.c:12".into(),
            file: "a.c".into(),
            clauses: "if(n > 5)".into(),
        };
        let team = Definition::Communicator { id: 0, master: 0, size: 4 };
        let nested = Definition::NestedCommunicator { id: 1, master: 0, level: 2, size: 4 };
        let guarded = Definition::Guarded {
            region: 3,
            class: 0,
            location: 1,
            node: 9,
            at: 1 << 40,
            begins: true,
        };
        let excluded = Definition::Excluded { region: 3, visits: 1 << 33, at: 1 << 41 };
        let (from, until) = (1 << 40, 1 << 41);
        let dropped = Definition::Dropped { location: 1, chunk: 2, events: 9, from, until };
        let mut log = Vec::new();
        for definition in [&region, &team, &nested, &dropped, &guarded, &excluded] {
            definition.encode(&mut log);
        }
        let all = [region.clone(), team, nested, dropped, guarded, excluded];
        assert_eq!(Definition::decode_all(&log), all);
        for cut in 0..log.len() {
            assert!(Definition::decode_all(&log[..cut]).len() < 6);
        }
        log[4] = 99;
        assert_eq!(Definition::decode_all(&log).len(), 5);
    }

    #[test]
    fn each_kind_is_where_its_tag_says() {
        assert!(RegionKind::ALL.iter().enumerate().all(|(tag, kind)| *kind as usize == tag));
    }

    #[test]
    fn bodies_of_what_the_guard_sums_are_bodies() {
        let with_body = RegionKind::ALL.iter().filter(|kind| kind.summable() == Summable::WithBody);
        let with_body: Vec<Role> = with_body.filter_map(|kind| kind.openmp()).collect();
        let bodies = RegionKind::ALL.iter().filter(|kind| kind.is_body());
        assert_eq!((with_body.len(), bodies.count()), (3, 3));
        assert_eq!(with_body, [Role::Single, Role::Critical, Role::Ordered]);
    }
}
