//! How a process says that it ends. Whoever reads live state cannot ask it any more, and its parent
//! only knows an exit code or a signal, which are those of another program after an `exec`.

/// The end that a process has noted before it came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotedEnd {
    /// `return` from main, or `exit`, with this code.
    Exit(i32),
    /// `quick_exit`, which does not tell its code.
    QuickExit,
    /// `_exit` or `_Exit`, with this code.
    ImmediateExit(i32),
    /// It has become another program.
    Exec,
    /// `POMP_Finalize`: the measurement ended before the process.
    Finalized,
}

impl NotedEnd {
    /// The end in 64 bits, never 0: that is no end.
    pub const fn encode(self) -> u64 {
        let (kind, code) = match self {
            NotedEnd::Exit(code) => (1, code),
            NotedEnd::QuickExit => (2, 0),
            NotedEnd::ImmediateExit(code) => (3, code),
            NotedEnd::Exec => (4, 0),
            NotedEnd::Finalized => (5, 0),
        };
        kind << 32 | code as u32 as u64
    }

    /// The end that `bits` stand for; `None` for none.
    pub const fn decode(bits: u64) -> Option<Self> {
        let code = bits as u32 as i32;
        match bits >> 32 {
            1 => Some(NotedEnd::Exit(code)),
            2 => Some(NotedEnd::QuickExit),
            3 => Some(NotedEnd::ImmediateExit(code)),
            4 => Some(NotedEnd::Exec),
            5 => Some(NotedEnd::Finalized),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_come_back() {
        for end in [
            NotedEnd::Exit(-1),
            NotedEnd::Exit(0),
            NotedEnd::QuickExit,
            NotedEnd::ImmediateExit(255),
            NotedEnd::Exec,
            NotedEnd::Finalized,
        ] {
            assert_eq!(NotedEnd::decode(end.encode()), Some(end));
        }
        assert_eq!(NotedEnd::decode(0), None);
    }
}
