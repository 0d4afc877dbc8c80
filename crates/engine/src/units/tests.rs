//! Quantities from text and back.

use super::*;

#[test]
fn gigabytes_and_gibibytes_differ() {
    assert_eq!("1 GB".parse(), Ok(Bytes(1_000_000_000)));
    assert_eq!("1 GiB".parse(), Ok(Bytes(1 << 30)));
}

#[test]
fn gigabits_are_an_eighth_of_gigabytes() {
    assert_eq!("400 Gb/s".parse(), Ok(Rate(50_000_000_000)));
    assert_eq!("50 GB/s".parse(), Ok(Rate(50_000_000_000)));
}

#[test]
fn fractions_are_exact() {
    assert_eq!("4.8 GB/s".parse(), Ok(Rate(4_800_000_000)));
    assert_eq!("0.1 us".parse(), Ok(Time(100_000)));
    assert_eq!(Factor::from_number(0.64), Ok(Factor(640_000_000)));
}

#[test]
fn a_missing_per_second_is_pointed_out() {
    let error = "400 Gb".parse::<Rate>().unwrap_err();
    assert_eq!(error.problem, "\"400 Gb\" has the unknown unit \"Gb\" (did you mean \"Gb/s\"?)");
}

#[test]
fn what_overflows_is_refused() {
    assert!("99999999999 PB".parse::<Bytes>().is_err());
    assert!("1 b/s".parse::<Rate>().is_ok_and(|r| r.0 == 0).eq(&false));
}

#[test]
fn time_for_bytes_rounds_up() {
    assert_eq!(Rate(3).time_for(Bytes(1)), Some(Time(333_333_333_334)));
}

proptest::proptest! {
    #[test]
    fn what_is_printed_reads_back(n in 0u64..u64::MAX) {
        proptest::prop_assert_eq!(Bytes(n).to_string().parse(), Ok(Bytes(n)));
        proptest::prop_assert_eq!(Rate(n).to_string().parse(), Ok(Rate(n)));
        proptest::prop_assert_eq!(Time(n).to_string().parse(), Ok(Time(n)));
    }
}
