//! The results of a run as a document in JSON, and the ratios between two of them.

use crate::table::aligned;
use anyhow::{Context as _, Result};
use serde_json::{Value, json};

/// The least CPU time that a ratio is made of, in milliseconds: anything below is the clock's noise.
const LEAST_MS: f64 = 0.05;

/// The figures of one question.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct QuestionFigures {
    pub(super) name: String,
    pub(super) query: String,
    pub(super) kind: String,
    pub(super) answer: String,
    pub(super) digest: String,
    /// "incomplete", a refusal, or nothing.
    pub(super) trouble: String,
    pub(super) cold_ms: f64,
    pub(super) cold_cpu_ms: f64,
    pub(super) warm_ms: f64,
    pub(super) cpu_ms: f64,
    /// CPU time of the filter as count, newest messages, histogram and facets.
    pub(super) repeat_ms: Vec<f64>,
}

/// The figures of all questions to one set of lines.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct SetFigures {
    pub(super) set: String,
    pub(super) messages: u64,
    pub(super) bytes_per_message: f64,
    pub(super) segments: u64,
    /// Resident memory when ready and after all questions in a row, and the peak, in MiB.
    pub(super) memory_mib: Vec<f64>,
    pub(super) questions: Vec<QuestionFigures>,
}

impl QuestionFigures {
    pub(super) fn repeat_sum(&self) -> f64 {
        self.repeat_ms.iter().sum()
    }

    fn write(&self) -> Value {
        json!({
            "name": self.name, "query": self.query, "kind": self.kind, "answer": self.answer, "digest": self.digest,
            "trouble": self.trouble, "cold_ms": rounded(self.cold_ms), "cold_cpu_ms": rounded(self.cold_cpu_ms),
            "warm_ms": rounded(self.warm_ms), "cpu_ms": rounded(self.cpu_ms),
            "repeat_ms": self.repeat_ms.iter().copied().map(rounded).collect::<Vec<_>>(),
        })
    }

    fn read(value: &Value) -> Result<QuestionFigures> {
        let text = |name: &str| value[name].as_str().map(str::to_owned).context("a text is missing");
        Ok(QuestionFigures {
            name: text("name")?,
            query: text("query")?,
            kind: text("kind")?,
            answer: text("answer")?,
            digest: text("digest")?,
            trouble: text("trouble")?,
            cold_ms: number(value, "cold_ms")?,
            cold_cpu_ms: number(value, "cold_cpu_ms")?,
            warm_ms: number(value, "warm_ms")?,
            cpu_ms: number(value, "cpu_ms")?,
            repeat_ms: numbers(value, "repeat_ms")?,
        })
    }
}

impl SetFigures {
    fn write(&self) -> Value {
        json!({
            "set": self.set, "messages": self.messages, "bytes_per_message": rounded(self.bytes_per_message),
            "segments": self.segments,
            "memory_mib": self.memory_mib.iter().copied().map(rounded).collect::<Vec<_>>(),
            "questions": self.questions.iter().map(QuestionFigures::write).collect::<Vec<_>>(),
        })
    }

    fn read(value: &Value) -> Result<SetFigures> {
        let questions = value["questions"].as_array().context("questions are missing")?;
        Ok(SetFigures {
            set: value["set"].as_str().context("a set without a name")?.to_owned(),
            messages: value["messages"].as_u64().context("a set without a number of messages")?,
            bytes_per_message: number(value, "bytes_per_message")?,
            segments: value["segments"].as_u64().context("a set without a number of segments")?,
            memory_mib: numbers(value, "memory_mib")?,
            questions: questions.iter().map(QuestionFigures::read).collect::<Result<_>>()?,
        })
    }
}

/// The document of a run.
pub(super) fn write(sets: &[SetFigures]) -> Result<String> {
    let sets: Vec<Value> = sets.iter().map(SetFigures::write).collect();
    Ok(serde_json::to_string_pretty(&json!({ "version": 1, "sets": sets }))? + "\n")
}

/// Reads the document of an earlier run.
pub(super) fn read(text: &str) -> Result<Vec<SetFigures>> {
    let document: Value = serde_json::from_str(text)?;
    let sets = document["sets"].as_array().context("no document of `questions`: it has no sets")?;
    sets.iter().map(SetFigures::read).collect()
}

/// The new figures of each question that both runs asked, divided by the earlier ones: below 1 is better. The last line
/// of a set has the geometric means.
pub(super) fn compare(earlier: &[SetFigures], now: &[SetFigures]) -> String {
    let mut out = Vec::new();
    for set in now {
        let Some(before) = earlier.iter().find(|before| before.set == set.set) else { continue };
        if before.messages != set.messages {
            out.push(format!(
                "{}: {} messages before, {} now: figures and answers cannot be compared",
                set.set, before.messages, set.messages
            ));
            continue;
        }
        let peak = |set: &SetFigures| set.memory_mib.iter().copied().fold(0.0, f64::max);
        out.push(format!(
            "{}, as a part of the earlier run; {} segments, {} before; {:.1} bytes each, {:.1} before; at most {:.0} MiB, \
             {:.0} before",
            set.set,
            set.segments,
            before.segments,
            set.bytes_per_message,
            before.bytes_per_message,
            peak(set),
            peak(before)
        ));
        if before.segments != set.segments {
            out.push("the stores have other segments, which alone changes the figures: run again".to_owned());
        }
        out.push(aligned(&compared(before, set)));
    }
    out.join("\n")
}

fn compared(before: &SetFigures, now: &SetFigures) -> Vec<Vec<String>> {
    let head = ["", "cpu before", "cpu now", "cpu", "first", "repeat", ""].map(str::to_owned).to_vec();
    let mut rows = vec![head];
    let mut ratios: [Vec<f64>; 3] = Default::default();
    for question in &now.questions {
        let Some(old) = before.questions.iter().find(|old| old.name == question.name) else { continue };
        let these = [
            ratio(question.cpu_ms, old.cpu_ms),
            ratio(question.cold_cpu_ms, old.cold_cpu_ms),
            ratio(question.repeat_sum(), old.repeat_sum()),
        ];
        ratios.iter_mut().zip(these).for_each(|(ratios, this)| ratios.push(this));
        let mut row =
            vec![question.name.clone(), format!("{:.2}", old.cpu_ms), format!("{:.2}", question.cpu_ms)];
        row.extend(these.map(|ratio| format!("{ratio:.2}")));
        let is_other = question.digest != old.digest && question.trouble.is_empty() && old.trouble.is_empty();
        row.push(match (is_other, question.trouble.as_str()) {
            (_, trouble) if !trouble.is_empty() => trouble.to_owned(),
            (true, _) => "another answer".to_owned(),
            (false, _) => String::new(),
        });
        rows.push(row);
    }
    let means = ratios.map(|ratios| format!("{:.3}", geometric_mean(&ratios)));
    let mut last = vec!["geometric mean".to_owned(), String::new(), String::new()];
    last.extend(means);
    last.push(String::new());
    rows.push(last);
    rows
}

fn ratio(now: f64, before: f64) -> f64 {
    now.max(LEAST_MS) / before.max(LEAST_MS)
}

/// The geometric mean of positive numbers; 1 of none.
fn geometric_mean(values: &[f64]) -> f64 {
    if values.is_empty() {
        return 1.0;
    }
    (values.iter().map(|value| value.ln()).sum::<f64>() / values.len() as f64).exp()
}

/// A figure for the document: a thousandth is enough.
fn rounded(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

fn number(value: &Value, name: &str) -> Result<f64> {
    value[name].as_f64().with_context(|| format!("{name} is missing"))
}

fn numbers(value: &Value, name: &str) -> Result<Vec<f64>> {
    let values = value[name].as_array().with_context(|| format!("{name} is missing"))?;
    values.iter().map(|value| value.as_f64().with_context(|| format!("{name} is not a number"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(name: &str, cpu_ms: f64, digest: &str) -> QuestionFigures {
        QuestionFigures {
            name: name.to_owned(),
            query: "error".to_owned(),
            kind: "count".to_owned(),
            answer: "7".to_owned(),
            digest: digest.to_owned(),
            trouble: String::new(),
            cold_ms: 3.0,
            cold_cpu_ms: 4.0,
            warm_ms: 1.5,
            cpu_ms,
            repeat_ms: vec![1.0, 2.0, 3.0, 4.0],
        }
    }

    fn set(questions: Vec<QuestionFigures>) -> SetFigures {
        let memory_mib = vec![40.0, 90.0, 100.0];
        let set = "syslog".to_owned();
        SetFigures { set, messages: 1000, bytes_per_message: 13.5, segments: 2, memory_mib, questions }
    }

    #[test]
    fn a_document_is_read_as_it_was_written() {
        let sets = vec![set(vec![figures("w1", 2.0, "a"), figures("w2", 0.125, "b")])];
        assert_eq!(read(&write(&sets).expect("a document")).expect("a document"), sets);
        assert!(read("{}").is_err() && read("no").is_err());
    }

    #[test]
    fn the_geometric_mean_of_a_half_and_two_is_one() {
        assert!((geometric_mean(&[0.5, 2.0]) - 1.0).abs() < 1e-12);
        assert!((geometric_mean(&[2.0, 8.0, 4.0]) - 4.0).abs() < 1e-12);
        assert_eq!(geometric_mean(&[]), 1.0);
    }

    #[test]
    fn each_question_of_both_runs_is_compared() {
        let before = [set(vec![figures("w1", 2.0, "a"), figures("w2", 2.0, "b"), figures("w3", 1.0, "c")])];
        let now = [set(vec![figures("w1", 1.0, "a"), figures("w2", 4.0, "B"), figures("w9", 1.0, "c")])];
        let told = compare(&before, &now);
        let lines: Vec<Vec<&str>> = told.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(lines[2], ["w1", "2.00", "1.00", "0.50", "1.00", "1.00"]);
        assert_eq!(lines[3], ["w2", "2.00", "4.00", "2.00", "1.00", "1.00", "another", "answer"]);
        assert_eq!(lines[4], ["geometric", "mean", "1.000", "1.000", "1.000"]);
        assert_eq!(lines.len(), 5);
        assert!(
            told.contains("2 segments, 2 before; 13.5 bytes each, 13.5 before; at most 100 MiB, 100 before"),
            "{told}"
        );
    }

    #[test]
    fn stores_of_other_sizes_are_not_compared() {
        let small = SetFigures { messages: 10, ..set(vec![figures("w1", 2.0, "a")]) };
        assert!(compare(&[small], &[set(vec![figures("w1", 1.0, "a")])]).contains("cannot be compared"));
    }

    #[test]
    fn stores_with_other_segments_are_told_apart() {
        let now = set(vec![figures("w1", 2.0, "a")]);
        let joined = SetFigures { segments: 1, ..now.clone() };
        assert!(compare(&[joined], std::slice::from_ref(&now)).contains("other segments"));
        assert!(!compare(std::slice::from_ref(&now), std::slice::from_ref(&now)).contains("other segments"));
    }

    #[test]
    fn what_the_clock_cannot_tell_apart_is_the_same() {
        assert_eq!(ratio(0.01, 0.04), 1.0);
    }
}
