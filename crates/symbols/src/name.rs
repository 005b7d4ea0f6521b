//! Names of functions as programmers write them.

use cpp_demangle::{DemangleOptions, Symbol};

/// The name in the source of a symbol: without what compilers append to parts of a function
/// (`main._omp_fn.0`, `f.cold`, `f.constprop.0`), without the parameters of C++, and with the
/// module of a Fortran procedure (`__sea_MOD_relax` of gfortran and `_QMseaPrelax` of flang are
/// `sea::relax`). A target region of clang has the name of the function around it. Empty for a part
/// without a name.
pub fn readable(symbol: &str) -> String {
    let own = symbol.split('.').next().unwrap_or_default();
    let own = around_target(own).unwrap_or(own);
    if own.starts_with("_Z") {
        let options = DemangleOptions::new().no_params().no_return_type();
        let name = Symbol::new(own).ok().and_then(|name| name.demangle_with_options(&options).ok());
        return name.unwrap_or_else(|| own.to_owned());
    }
    if let Some(name) = own.strip_prefix("_Q").and_then(of_flang) {
        return name;
    }
    match own.strip_prefix("__").and_then(|rest| rest.split_once("_MOD_")) {
        Some((module, procedure)) => format!("{module}::{procedure}"),
        None => own.to_owned(),
    }
}

/// The function around a target region of clang, whose own function is called
/// `__omp_offloading_fe00_99_solve_l13`: after the device and the file comes the function, at the
/// end the line.
fn around_target(symbol: &str) -> Option<&str> {
    let rest = symbol.strip_prefix("__omp_offloading_")?;
    let (_device, rest) = rest.split_once('_')?;
    let (_file, rest) = rest.split_once('_')?;
    let (function, line) = rest.strip_suffix("_debug__").unwrap_or(rest).rsplit_once("_l")?;
    line.parse::<u32>().is_ok().then_some(function)
}

/// A name of flang: modules, submodules, procedures around and the procedure itself, each after a
/// letter of its own. Names of Fortran are in lower case there. The main program is `_QQmain`.
fn of_flang(symbol: &str) -> Option<String> {
    if symbol == "Qmain" {
        return Some("main".to_owned());
    }
    let is_tag = |c: char| matches!(c, 'M' | 'S' | 'F' | 'P');
    let mut parts = symbol.split(is_tag);
    let is_name = |part: &&str| {
        let is_lower = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        !part.is_empty() && part.chars().all(is_lower)
    };
    let begins = parts.next().is_some_and(str::is_empty);
    let names: Vec<&str> = parts.collect();
    (begins && !names.is_empty() && names.iter().all(is_name)).then(|| names.join("::"))
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
            ("__omp_offloading_fe00_9981fa_solve_l13_debug__.omp_outlined", "solve"),
            ("__omp_offloading_fe00_9981fa__ZN1a3runEi_l7", "a::run"),
            ("__omp_offloading_mine", "__omp_offloading_mine"),
            ("_ZN2ns1AIdE3runEi._omp_fn.0", "ns::A<double>::run"),
            (
                "_ZNSt6vectorIiSaIiEE9push_backERKi",
                "std::vector<int, std::allocator<int> >::push_back",
            ),
            ("_Znonsense", "_Znonsense"),
            ("__sea_MOD_relax", "sea::relax"),
            ("_QMseaPrelax", "sea::relax"),
            ("_QPsolve..omp_par", "solve"),
            ("_QFsolvePinner_step", "solve::inner_step"),
            ("_QQmain..omp_par.1", "main"),
            ("_Quick", "_Quick"),
            ("_QMsea", "sea"),
            ("_Q", "_Q"),
            ("", ""),
        ] {
            assert_eq!(readable(symbol), name, "{symbol}");
        }
    }
}
