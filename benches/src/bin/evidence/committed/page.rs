//! `benches/RESULTS.md`, `benches/EXPERIMENTS.md` and the section of `README.md` on speed, from templates and the files
//! of results, so that no figure in them is written by hand.
//!
//! Templates are Jinja templates. They have `results`, the files by their names without `.json`, and whole runs by their
//! folders; `papers`, `paper_cells` and `limits`, the table of the papers' numbers and the explanation of its shares; and,
//! besides Jinja's own, these filters:
//!
//! | filter | gives |
//! |---|---|
//! | `fix(d)` | a number with `d` digits after the point, and commas |
//! | `sig(d)` | a number rounded to `d` digits in all, 3 if not told |
//! | `pct(d)` | a share in percent |
//! | `span(d)` | the least and the greatest of a list |
//! | `median` | the middle of a list |
//! | `phred(records)` | wrong records as a quality |
//! | `where({path: value})` | the items of a list with this value at the path; with `path~`, whose text contains it |
//! | `pick({path: value})` | the first of these items; an error if there is none |
//! | `column(path)` | the values at a path in each item |

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, Error, ErrorKind, UndefinedBehavior, Value, context};

use crate::committed::papers::{self, LIMITS};
use crate::committed::results::Results;
use crate::report::markdown::{PAPER_CELLS, paper_cells};
use crate::report::numbers::commas;
use crate::run::contest;

/// Renders a template with the results in a folder.
pub fn render(template: &str, folder: &Path) -> Result<String> {
    let results = Results::read(folder)?;
    let papers = papers::rows(&results)?;
    let mut environment = Environment::new();
    let mut syntax = SyntaxConfig::builder();
    // A line with only a block leaves no empty line.
    syntax.trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true);
    environment.set_syntax(syntax.build()?);
    // A value that a file lacks is an error.
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.add_filter("fix", |x: f64, digits: Option<i32>| fix(x, digits.unwrap_or(0)));
    environment.add_filter("sig", |x: f64, digits: Option<i32>| sig(x, digits.unwrap_or(3)));
    environment.add_filter("pct", |x: f64, digits: Option<i32>| {
        format!("{}%", fix(100.0 * x, digits.unwrap_or(0)))
    });
    environment.add_filter("span", |list: Vec<f64>, digits: Option<i32>| {
        let [least, most] = [f64::min as fn(f64, f64) -> f64, f64::max].map(|of| {
            fix(list.iter().copied().reduce(of).unwrap_or(f64::NAN), digits.unwrap_or(0))
        });
        if least == most { least } else { format!("{least} to {most}") }
    });
    environment.add_filter("median", |list: Vec<f64>| contest::median(&list));
    environment.add_filter("phred", |wrong: f64, records: f64| match wrong {
        0.0 => format!("> {:.0}", 10.0 * records.log10()),
        _ => format!("{:.1}", -10.0 * (wrong / records).log10()),
    });
    environment.add_filter("where", |list: Vec<Value>, conditions: Value| all(list, &conditions));
    environment.add_filter("pick", |list: Vec<Value>, conditions: Value| {
        let found = all(list, &conditions)?.into_iter().next();
        found.ok_or_else(|| error(format!("nothing has {conditions}")))
    });
    environment.add_filter("column", |list: Vec<Value>, path: &str| {
        list.iter().map(|item| at(item, path)).collect::<Result<Vec<Value>, Error>>()
    });
    let page = environment.render_str(
        template,
        context! {
            results => Serde(results.files()),
            papers => papers.iter().map(|row| paper_cells(row).join(" | ")).collect::<Vec<_>>(),
            paper_cells => PAPER_CELLS.join(" | "),
            limits => LIMITS,
        },
    );
    page.context("the template of the results")
}

/// Writes a page from the template beside it.
pub fn write(page: &Path, folder: &Path) -> Result<()> {
    let template = page.with_extension("template.md");
    let text = fs::read_to_string(&template).with_context(|| template.display().to_string())?;
    fs::write(page, render(&text, folder)?).with_context(|| page.display().to_string())
}

/// A number with `digits` digits after the point; halves are rounded up.
fn fix(x: f64, digits: i32) -> String {
    let unit = 10_f64.powi(digits);
    commas(&format!("{:.*}", digits.max(0) as usize, (x * unit).round() / unit))
}

/// A number rounded to `digits` significant digits.
fn sig(x: f64, digits: i32) -> String {
    let first = if x == 0.0 { 0 } else { x.abs().log10().floor() as i32 };
    fix(x, digits - 1 - first)
}

/// The items of a list that meet all conditions.
fn all(list: Vec<Value>, conditions: &Value) -> Result<Vec<Value>, Error> {
    let mut found = Vec::new();
    for item in list {
        let mut is_meant = true;
        for path in conditions.try_iter()? {
            let wanted = conditions.get_item(&path)?;
            let path = path.as_str().ok_or_else(|| error("a condition is a text".to_owned()))?;
            is_meant &= match path.strip_suffix('~') {
                // An item without the text is another kind of item.
                Some(path) => at(&item, path).is_ok_and(|value| {
                    value
                        .as_str()
                        .zip(wanted.as_str())
                        .is_some_and(|(text, part)| text.contains(part))
                }),
                None => at(&item, path).is_ok_and(|value| value == wanted),
            };
        }
        if is_meant {
            found.push(item);
        }
    }
    Ok(found)
}

/// The value at a path of keys and list indexes, separated by dots.
fn at(value: &Value, path: &str) -> Result<Value, Error> {
    path.split('.').try_fold(value.clone(), |value, key| {
        let found = match key.parse::<usize>() {
            Ok(place) => value.get_item_by_index(place)?,
            Err(_) => value.get_attr(key)?,
        };
        if found.is_undefined() { Err(error(format!("no {key} of {path}"))) } else { Ok(found) }
    })
}

fn error(text: String) -> Error {
    Error::new(ErrorKind::InvalidOperation, text)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use serde_json::Value as Json;

    use super::*;

    fn benches(file: &str) -> PathBuf {
        [env!("CARGO_MANIFEST_DIR"), file].iter().collect()
    }

    fn text(file: &str) -> String {
        fs::read_to_string(benches(file)).expect("is there")
    }

    /// After a change of the results, `evidence --results-page benches/RESULTS.md` writes a page again.
    #[test]
    fn the_committed_pages_are_those_of_the_committed_results() {
        for page in ["RESULTS", "EXPERIMENTS"] {
            let template = text(&format!("{page}.template.md"));
            let made = render(&template, &benches("results")).expect("renders");
            assert!(made == text(&format!("{page}.md")), "{page}.md is not what results/ gives");
        }
    }

    /// README's figures are those of the results. After a change its section has to be what is printed here.
    #[test]
    fn the_readme_claims_what_was_measured() {
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let readme = text("../README.md");
        let (_, rest) = readme.split_once("\n## Speed\n").expect("a section on speed");
        let (section, _) = rest.split_once("\n## ").expect("another one behind it");
        let made = render(&text("SPEED.template.md"), &benches("results")).expect("renders");
        assert_eq!(words(&format!("## Speed\n{section}")), words(&made), "{made}");
    }

    /// Every number of a file, another one.
    fn enlarge(json: &mut Json) {
        match json {
            Json::Number(number) => {
                *json = Json::from(number.as_f64().map_or(1.0, |number| 2.0 * number + 1.0));
            }
            Json::Array(items) => items.iter_mut().for_each(enlarge),
            Json::Object(fields) => fields.values_mut().for_each(enlarge),
            Json::Null | Json::Bool(_) | Json::String(_) => {}
        }
    }

    /// Copies the files of a folder, and those of its folders.
    fn copy(from: &Path, to: &Path) {
        for file in fs::read_dir(from).expect("a folder") {
            let path = file.expect("a file").path();
            let copied = to.join(path.file_name().expect("a name"));
            if path.is_dir() {
                fs::create_dir_all(&copied).expect("makes it");
                copy(&path, &copied);
            } else {
                fs::copy(path, copied).expect("copies");
            }
        }
    }

    #[test]
    fn other_results_make_another_page() {
        let folder = tempfile::tempdir().expect("a folder");
        for (page, name, field) in [
            ("EXPERIMENTS", "2026-11-22-everyday.json", "runs"),
            ("EXPERIMENTS", "2026-11-22-extend.json", "points"),
            ("EXPERIMENTS", "2026-11-21-nw.json", "kernels"),
            ("RESULTS", "2026-11-29-h200-others/evidence.json", "sections"),
            ("RESULTS", "2026-11-27-nw-added.json", "loops"),
        ] {
            copy(&benches("results"), folder.path());
            let template = text(&format!("{page}.template.md"));
            let page = text(&format!("{page}.md"));
            assert_eq!(render(&template, folder.path()).ok().as_ref(), Some(&page), "{name}");

            let path = folder.path().join(name);
            let mut json: Json =
                serde_json::from_str(&fs::read_to_string(&path).expect("reads")).expect("is JSON");
            enlarge(&mut json[field]);
            fs::write(&path, json.to_string()).expect("writes");
            // Enlarged points may not be what the template looks for.
            let made = render(&template, folder.path());
            assert!(made.is_err() || made.is_ok_and(|made| made != page), "{name}");
        }
    }

    #[test]
    fn what_is_not_in_a_file_is_an_error() {
        let results = benches("results");
        for template in [
            "{{ results['no file'].seconds }}",
            "{{ results['2026-11-22-everyday'].runs.nobody }}",
            "{{ (results['2026-11-22-extend'].points | pick({'width': 17})).length }}",
            "{{ results['2026-11-22-extend'].points | column('height') }}",
        ] {
            render(template, &results).expect_err(template);
        }
        let width = "{{ (results['2026-11-22-extend'].points | pick({'length': 250})).width }}";
        assert_eq!(render(width, &results).expect("renders"), "32");
    }

    #[test]
    fn numbers_are_rounded_as_people_do() {
        assert_eq!([fix(23.25, 1), fix(34.85, 1), fix(1234.5, 0)], ["23.3", "34.9", "1,235"]);
        assert_eq!(
            [sig(1_482_227.0, 3), sig(6.635, 3), sig(0.0125, 2), sig(0.0, 3)],
            ["1,480,000", "6.64", "0.013", "0.00"]
        );
    }
}
