//! Draws lines over time as an SVG picture.

use std::fmt::Write as _;

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 180.0;
const MARGIN: f64 = 70.0;
const COLOURS: [&str; 4] = ["#2563eb", "#d97706", "#059669", "#7c3aed"];

/// A line: its name and its points, with the time in seconds first.
pub(crate) struct ChartLine {
    pub(crate) name: String,
    pub(crate) points: Vec<(f64, f64)>,
}

/// A plot of lines that share a scale, which starts at zero.
pub(crate) struct Plot {
    pub(crate) title: String,
    pub(crate) lines: Vec<ChartLine>,
}

/// Draws the plots one below the other, over the same time.
pub(crate) fn svg(plots: &[Plot]) -> String {
    let height = HEIGHT + MARGIN;
    let (width, whole) = (WIDTH + 2.0 * MARGIN, height * plots.len() as f64);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {whole}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    for (at, plot) in plots.iter().enumerate() {
        // Writing to a string cannot fail.
        writeln!(out, "<g transform=\"translate({MARGIN} {})\">", at as f64 * height + MARGIN / 2.0).ok();
        draw(plot, &mut out);
        out.push_str("</g>\n");
    }
    out + "</svg>\n"
}

fn draw(plot: &Plot, out: &mut String) {
    let points = || plot.lines.iter().flat_map(|line| &line.points);
    let end = points().map(|point| point.0).fold(1.0, f64::max);
    let top = points().map(|point| point.1).fold(1.0, f64::max);
    writeln!(out, "<text y=\"-8\" font-weight=\"bold\">{}</text>", plot.title).ok();
    writeln!(out, "<path d=\"M0 0V{HEIGHT}H{WIDTH}\" fill=\"none\" stroke=\"#888\"/>").ok();
    writeln!(out, "<text x=\"-8\" y=\"10\" text-anchor=\"end\">{top:.0}</text>").ok();
    writeln!(out, "<text x=\"-8\" y=\"{HEIGHT}\" text-anchor=\"end\">0</text>").ok();
    writeln!(out, "<text x=\"{WIDTH}\" y=\"{}\" text-anchor=\"end\">{end:.0} s</text>", HEIGHT + 16.0).ok();
    for (at, (line, colour)) in plot.lines.iter().zip(COLOURS.iter().cycle()).enumerate() {
        let place = |(x, y): &(f64, f64)| format!("{:.1},{:.1}", x / end * WIDTH, HEIGHT * (1.0 - y / top));
        let places: Vec<String> = line.points.iter().map(place).collect();
        let places = places.join(" ");
        writeln!(out, "<polyline points=\"{places}\" fill=\"none\" stroke=\"{colour}\"/>").ok();
        let x = 120.0 * at as f64;
        writeln!(out, "<text x=\"{x}\" y=\"{}\" fill=\"{colour}\">{}</text>", HEIGHT + 16.0, line.name).ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_point_is_at_the_top_and_the_last_at_the_right() {
        let line =
            ChartLine { name: "waiting".to_owned(), points: vec![(0.0, 0.0), (30.0, 8.0), (60.0, 4.0)] };
        let svg = svg(&[Plot { title: "Messages".to_owned(), lines: vec![line] }]);
        assert!(svg.contains("points=\"0.0,180.0 450.0,0.0 900.0,90.0\""), "{svg}");
        assert!(svg.ends_with("</svg>\n"));
    }
}
