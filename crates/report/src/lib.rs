//! Terminal and HTML reports, explain.
