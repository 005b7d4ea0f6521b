//! Names of functions as programmers write them.

use cpp_demangle::{DemangleOptions, Symbol};

/// The name in the source of a symbol: without what compilers append to parts of a function
/// (`main._omp_fn.0`, `f.cold`, `f.constprop.0`), without the parameters of C++, and with the
/// module of a Fortran procedure (`__sea_MOD_relax` is `sea::relax`). Empty for a part without a
/// name.
pub fn readable(symbol: &str) -> String {
    let own = symbol.split('.').next().unwrap_or_default();
    if own.starts_with("_Z") {
        let options = DemangleOptions::new().no_params().no_return_type();
        let name = Symbol::new(own).ok().and_then(|name| name.demangle_with_options(&options).ok());
        return name.unwrap_or_else(|| own.to_owned());
    }
    match own.strip_prefix("__").and_then(|rest| rest.split_once("_MOD_")) {
        Some((module, procedure)) => format!("{module}::{procedure}"),
        None => own.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn names_are_those_of_the_source() {
        for (symbol, name) in [
            ("main", "main"),
            ("main._omp_fn.0", "main"),
            ("relax.constprop.0.cold", "relax"),
            (".omp_task_entry..3", ""),
            ("_ZN2ns1AIdE3runEi._omp_fn.0", "ns::A<double>::run"),
            (
                "_ZNSt6vectorIiSaIiEE9push_backERKi",
                "std::vector<int, std::allocator<int> >::push_back",
            ),
            ("_Znonsense", "_Znonsense"),
            ("__sea_MOD_relax", "sea::relax"),
            ("", ""),
        ] {
            assert_eq!(readable(symbol), name, "{symbol}");
        }
    }
}
