//! Sums over keys: `works.bounce.dram_bytes / works.bounce.bytes`, `far:works.gds.duration_s > 2 * near:works.gds.duration_s`.
//!
//! Knows numbers, texts and operators between blanks. Must not know where a key's value comes from.

use serde_json::Value;

/// Operators from the loosest to the tightest. Names hold `-`, `.` and digits, so every operator stands between blanks.
const OPERATORS: [&[&str]; 4] = [&["and"], &["=", "!=", "<", "<=", ">", ">="], &["+", "-"], &["*", "/"]];

/// What a sum comes to; or what is wrong with it.
pub(super) type Sum = Result<Value, String>;

/// Computes a sum; `look` finds the value of a key, or says why there is none.
pub(super) fn compute(formula: &str, look: &dyn Fn(&str) -> Sum) -> Sum {
    let words = words(formula)?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    level(&words, 0, look)
}

/// The words of a sum; a text in single quotes is one.
fn words(formula: &str) -> Result<Vec<String>, String> {
    let mut words: Vec<String> = Vec::new();
    for (index, part) in formula.split('\'').enumerate() {
        match index % 2 {
            0 => words.extend(part.split_whitespace().map(str::to_string)),
            _ => words.push(format!("'{part}'")),
        }
    }
    if formula.matches('\'').count() % 2 == 1 {
        return Err("a text in it has no closing quote".to_string());
    }
    Ok(words)
}

/// Computes words from the left, split at the operators of a level.
fn level(words: &[&str], height: usize, look: &dyn Fn(&str) -> Sum) -> Sum {
    let Some(operators) = OPERATORS.get(height) else { return operand(words, look) };
    match last_outside(words, operators) {
        None => level(words, height + 1, look),
        Some(at) => {
            let left = level(&words[..at], height, look)?;
            let right = level(&words[at + 1..], height + 1, look)?;
            apply(words[at], &left, &right)
        }
    }
}

/// The last of some operators that stands outside all parentheses.
fn last_outside(words: &[&str], operators: &[&str]) -> Option<usize> {
    let mut depth = 0;
    let outside = words.iter().enumerate().filter(|(_, word)| {
        match **word {
            "(" => depth += 1,
            ")" => depth -= 1,
            _ => {}
        }
        depth == 0 && operators.contains(word)
    });
    outside.last().map(|(at, _)| at)
}

fn operand(words: &[&str], look: &dyn Fn(&str) -> Sum) -> Sum {
    match words {
        ["(", inner @ .., ")"] => level(inner, 0, look),
        [] => Err("a key or a number is missing beside an operator".to_string()),
        [word] if word.starts_with('\'') => Ok(Value::from(word.trim_matches('\''))),
        [word] => match word.parse::<f64>() {
            Ok(number) => Ok(Value::from(number)),
            Err(_) => look(word),
        },
        [first, second, ..] => Err(format!("there is no operator between `{first}` and `{second}`")),
    }
}

fn apply(operator: &str, left: &Value, right: &Value) -> Sum {
    match operator {
        "and" => match (left.as_bool(), right.as_bool()) {
            (Some(left), Some(right)) => Ok(Value::from(left && right)),
            _ => Err("\"and\" stands between two comparisons".to_string()),
        },
        "=" => Ok(Value::from(same(left, right))),
        "!=" => Ok(Value::from(!same(left, right))),
        _ => Ok(arithmetic(operator, number(left)?, number(right)?)),
    }
}

fn arithmetic(operator: &str, left: f64, right: f64) -> Value {
    match operator {
        "<" => Value::from(left < right),
        "<=" => Value::from(left <= right),
        ">" => Value::from(left > right),
        ">=" => Value::from(left >= right),
        "+" => Value::from(left + right),
        "-" => Value::from(left - right),
        "*" => Value::from(left * right),
        _ => Value::from(left / right),
    }
}

fn same(left: &Value, right: &Value) -> bool {
    match (left.as_f64(), right.as_f64()) {
        (Some(left), Some(right)) => left == right,
        _ => left == right,
    }
}

fn number(value: &Value) -> Result<f64, String> {
    value.as_f64().ok_or_else(|| format!("`{value}` is not a number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(key: &str) -> Sum {
        match key {
            "works.gds-80.bytes" => Ok(Value::from(140)),
            "binds" => Ok(Value::from("nic")),
            _ => Err(format!("no key {key}")),
        }
    }

    fn sum(formula: &str) -> Value {
        compute(formula, &look).unwrap()
    }

    #[test]
    fn products_come_before_sums_and_sums_before_comparisons() {
        assert_eq!(sum("2 + 3 * 4"), Value::from(14.0));
        assert_eq!(sum("100 - 10 - 5"), Value::from(85.0));
        assert_eq!(sum("8 / 2 / 2 = 2"), Value::from(true));
        assert_eq!(sum("1 + 1 > 1 and 3 <= 3"), Value::from(true));
        assert_eq!(sum("( 2 + 3 ) * ( 4 - 1 )"), Value::from(15.0));
    }

    #[test]
    fn names_with_dashes_are_keys_and_quotes_are_texts() {
        assert_eq!(sum("works.gds-80.bytes / 2"), Value::from(70.0));
        assert_eq!(sum("binds = 'nic'"), Value::from(true));
        assert_eq!(sum("binds != 'root complex'"), Value::from(true));
    }

    #[test]
    fn what_is_no_sum_is_refused_in_words() {
        let refused = |formula: &str| compute(formula, &look).unwrap_err();
        assert_eq!(refused("1 +"), "a key or a number is missing beside an operator");
        assert_eq!(refused("( 1 + 2"), "there is no operator between `(` and `1`");
        assert_eq!(refused("1 2"), "there is no operator between `1` and `2`");
        assert_eq!(refused("binds * 2"), "`\"nic\"` is not a number");
        assert_eq!(refused("nothing"), "no key nothing");
        assert_eq!(refused("binds = 'nic"), "a text in it has no closing quote");
        assert_eq!(refused("1 and 2"), "\"and\" stands between two comparisons");
    }
}
