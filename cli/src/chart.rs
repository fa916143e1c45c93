//! Charts of lines or bars over categories, as SVG.

use std::error::Error;
use std::ops::Range;

use plotters::coord::Shift;
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// One value for each category, under one name.
pub struct Series {
    /// The name in the legend.
    pub name: String,
    /// One value for each category; values that are not finite are not drawn.
    pub values: Vec<f64>,
}

/// How values are drawn.
#[derive(Clone, Copy)]
pub enum Kind {
    /// Points, joined by lines.
    Lines,
    /// Bars side by side.
    Bars,
}

/// A chart of several series over the same categories.
pub struct Chart<'t> {
    /// How to draw them.
    pub kind: Kind,
    /// The title above the chart.
    pub title: &'t str,
    /// The label of the axis of categories, with its unit.
    pub x: &'t str,
    /// The label of the axis of values, with its unit.
    pub y: &'t str,
    /// The names of the categories, from left to right.
    pub categories: Vec<String>,
    /// The series, which are drawn in different colours.
    pub series: Vec<Series>,
    /// A value to compare with, drawn as a thin line.
    pub reference: Option<f64>,
}

/// Width and height of a chart, in pixels.
const SIZE: (u32, u32) = (1080, 500);
/// Width of the legend, in pixels.
const LEGEND: u32 = 170;
/// The most categories whose names fit below a chart; of more, some have no name.
const MOST_LABELS: usize = 25;
/// The most bars of one series that have their values above them.
const MOST_VALUES: usize = 20;
const FONT: &str = "sans-serif";
const GREY: RGBColor = RGBColor(110, 110, 110);
/// The colours of Okabe and Ito, which colour-blind people can distinguish.
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(230, 159, 0),
    RGBColor(0, 158, 115),
    RGBColor(213, 94, 0),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(60, 60, 60),
];

fn colour(series: usize) -> RGBColor {
    COLOURS[series % COLOURS.len()]
}

/// An axis with so many categories at 0, 1, 2 and so on, with half a category of room before and after.
struct CategoryAxis(usize);

impl Ranged for CategoryAxis {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn range(&self) -> Range<f64> {
        -0.5..self.0.max(1) as f64 - 0.5
    }

    fn map(&self, value: &f64, (left, right): (i32, i32)) -> i32 {
        let Range { start, end } = self.range();
        left + ((value - start) / (end - start) * f64::from(right - left)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        // The last category always has its name.
        let last = self.0.saturating_sub(1);
        let step = self.0.div_ceil(MOST_LABELS).max(1);
        let named = (0..self.0).step_by(step).filter(|place| place + step <= last);
        named.chain((self.0 > 0).then_some(last)).map(|place| place as f64).collect()
    }
}

/// A value as a short text: "12 M" for twelve million.
fn short(value: f64) -> String {
    let units = [(1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " k"), (1.0, "")];
    let (unit, name) =
        units.into_iter().find(|(unit, _)| value.abs() >= *unit).unwrap_or((1.0, ""));
    // At most three decimals, without zeros at the end.
    let digits = format!("{:.3}", value / unit);
    format!("{}{name}", digits.trim_end_matches('0').trim_end_matches('.'))
}

impl Chart<'_> {
    /// Draws the chart as SVG.
    ///
    /// # Errors
    /// If it cannot be drawn.
    pub fn svg(&self) -> Result<String, Box<dyn Error + '_>> {
        let mut svg = String::new();
        {
            let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
            root.fill(&WHITE)?;
            if self.series.len() > 1 {
                let (plot, legend) = root.split_horizontally(SIZE.0 - LEGEND);
                self.plot(&plot)?;
                self.legend(&legend)?;
            } else {
                // The axis names the only series.
                self.plot(&root)?;
            }
            root.present()?;
        }
        Ok(svg)
    }

    fn plot(&self, area: &DrawingArea<SVGBackend<'_>, Shift>) -> Result<(), Box<dyn Error + '_>> {
        let count = self.categories.len();
        let most = self.series.iter().flat_map(|series| &series.values).copied();
        let most = most.chain(self.reference).fold(0.0, f64::max);
        let top = if most > 0.0 { most * 1.08 } else { 1.0 };
        let mut chart = ChartBuilder::on(area)
            .caption(self.title, (FONT, 18))
            .margin(12)
            .x_label_area_size(44)
            .y_label_area_size(64)
            .build_cartesian_2d(CategoryAxis(count), 0.0..top)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .light_line_style(WHITE)
            .bold_line_style(BLACK.mix(0.12))
            .axis_style(GREY)
            .label_style((FONT, 12))
            .axis_desc_style((FONT, 14))
            .x_desc(self.x)
            .y_desc(self.y)
            .y_label_formatter(&|&value| short(value))
            .x_label_formatter(&|place| {
                self.categories.get(place.round() as usize).cloned().unwrap_or_default()
            })
            .draw()?;
        if let Some(reference) = self.reference {
            let ends = [(-0.5, reference), (count as f64 - 0.5, reference)];
            chart.draw_series([PathElement::new(ends, GREY)])?;
        }
        for (index, Series { values, .. }) in self.series.iter().enumerate() {
            let colour = colour(index);
            let points = values.iter().enumerate().map(|(place, &value)| (place as f64, value));
            let points = points.filter(|(_, value)| value.is_finite());
            match self.kind {
                Kind::Lines => {
                    chart.draw_series(LineSeries::new(points.clone(), colour.stroke_width(2)))?;
                    chart.draw_series(points.map(|at| Circle::new(at, 3, colour.filled())))?;
                }
                Kind::Bars => {
                    let width = 0.8 / self.series.len() as f64;
                    let left = width * index as f64 - 0.4;
                    chart.draw_series(points.clone().map(|(place, value)| {
                        let corners = [(place + left, 0.0), (place + left + width * 0.92, value)];
                        Rectangle::new(corners, colour.filled())
                    }))?;
                    if self.series.len() == 1 && count <= MOST_VALUES {
                        let above = Pos::new(HPos::Center, VPos::Bottom);
                        let style = (FONT, 12).into_font().color(&BLACK).pos(above);
                        let of = |at: (f64, f64)| Text::new(short(at.1), at, style.clone());
                        chart.draw_series(points.map(of))?;
                    }
                }
            }
        }
        Ok(())
    }

    fn legend(&self, area: &DrawingArea<SVGBackend<'_>, Shift>) -> Result<(), Box<dyn Error + '_>> {
        let text = (FONT, 14).into_font().color(&BLACK).pos(Pos::new(HPos::Left, VPos::Center));
        for (index, Series { name, .. }) in self.series.iter().enumerate() {
            let y = 60 + 24 * index as i32;
            area.draw(&Rectangle::new([(4, y - 6), (18, y + 6)], colour(index).filled()))?;
            area.draw(&Text::new(name.as_str(), (26, y), text.clone()))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(kind: Kind) -> Chart<'static> {
        let series = |name: &str, values: [f64; 3]| Series {
            name: name.to_owned(),
            values: values.to_vec(),
        };
        Chart {
            kind,
            title: "speed & size",
            x: "work (us)",
            y: "time (ms)",
            categories: ["0", "5", "40"].map(str::to_owned).to_vec(),
            series: vec![series("one", [1.0, 2.0, 3.0]), series("two", [2.0, 0.0, 1.0])],
            reference: Some(1.0),
        }
    }

    #[test]
    fn axes_legend_and_marks_are_there() {
        for (kind, mark, marks) in [(Kind::Lines, "<circle", 6), (Kind::Bars, "<rect", 6 + 2 + 1)] {
            let svg = chart(kind).svg().expect("it can be drawn");
            for text in ["speed &amp; size", "work (us)", "time (ms)", "one", "two", "\n40\n"] {
                assert!(svg.contains(text), "{text}");
            }
            assert_eq!(svg.matches(mark).count(), marks);
        }
    }

    #[test]
    fn bars_of_one_series_have_values_and_no_legend() {
        let mut one = chart(Kind::Bars);
        one.series.truncate(1);
        one.series[0].values = vec![1234.0, 56.25, f64::NAN];
        let svg = one.svg().expect("it can be drawn");
        for text in ["\n1.234 k\n", "\n56.25\n"] {
            assert!(svg.contains(text), "{text}");
        }
        assert!(!svg.contains("\none\n"));
        one.categories = (0..=MOST_VALUES).map(|place| place.to_string()).collect();
        assert!(!one.svg().expect("it can be drawn").contains("\n56.25\n"));
    }

    #[test]
    fn of_many_categories_some_have_names() {
        let places =
            |count| CategoryAxis(count).key_points(plotters::coord::ranged1d::BoldPoints(9));
        assert_eq!(places(0), [0.0; 0]);
        assert_eq!(places(3), [0.0, 1.0, 2.0]);
        for count in [25, 26, 27, 100, 999] {
            let places = places(count);
            assert!(places.len() <= MOST_LABELS + 1 && places.is_sorted(), "{count}");
            assert_eq!((places[0], places.last()), (0.0, Some(&(count as f64 - 1.0))));
        }
    }

    #[test]
    fn labels_are_short() {
        let values = [0.0, 0.05, 2.5, 12_000.0, 4_500_000.0, 1e12];
        assert_eq!(values.map(short), ["0", "0.05", "2.5", "12 k", "4.5 M", "1 T"]);
    }

    #[test]
    fn a_chart_of_nothing_can_be_drawn() {
        let chart = Chart { series: Vec::new(), reference: None, ..chart(Kind::Lines) };
        assert!(chart.svg().expect("it can be drawn").ends_with("</svg>\n"));
    }
}
