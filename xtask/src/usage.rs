//! The report of ptxas on the registers and memory that each kernel uses.

/// One line for each kernel and target of the report that `nvcc -Xptxas -v` writes:
/// `kernel sm_90: 42 registers, ...; 0 bytes stack frame, 0 bytes spill stores, ...`.
pub fn summary(report: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut kernel = String::new();
    let mut stack = "";
    for line in report.lines() {
        let line = line.trim_start_matches("ptxas info").trim_start_matches([' ', ':']);
        if let Some(name) = line.strip_prefix("Compiling entry function ") {
            kernel = name.replace('\'', "").replace(" for ", " ");
        } else if line.contains("bytes stack frame") {
            stack = line;
        } else if let Some(used) = line.strip_prefix("Used ") {
            lines.push(format!("{kernel}: {used}; {stack}"));
        }
    }
    lines
}

/// The lines of the report that are not ptxas's information, but the compiler's warnings.
pub fn warnings(report: &str) -> impl Iterator<Item = &str> {
    report.lines().filter(|line| {
        !line.starts_with("ptxas info") && !line.trim_start().ends_with("bytes spill loads")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "\
a.cu(3): warning #177-D: variable \"x\" was declared but never referenced
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'locate' for 'sm_80'
ptxas info    : Function properties for locate
    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads
ptxas info    : Used 42 registers, used 0 barriers, 400 bytes cmem[0]
ptxas info    : Compile time = 8.522 ms
";

    #[test]
    fn kernels_are_summed_up_in_a_line() {
        let expected = "locate sm_80: 42 registers, used 0 barriers, 400 bytes cmem[0]; \
                        8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads";
        assert_eq!(summary(REPORT), [expected]);
    }

    #[test]
    fn warnings_are_kept_apart() {
        let found: Vec<&str> = warnings(REPORT).collect();
        assert_eq!(
            found,
            ["a.cu(3): warning #177-D: variable \"x\" was declared but never referenced"]
        );
    }
}
