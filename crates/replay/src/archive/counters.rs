//! Counters of an OTF2 archive: metric classes, and instances of classes, by the id that records
//! name. Classes of sums are none (`archive/mod.rs`).

use std::collections::HashMap;

use pompeii_otf2::definition::{Definition, MetricInstance, MetricMember};
use pompeii_otf2::enums::{Base, MetricScope, ValueType};
use pompeii_otf2::read::Archive;
use pompeii_otf2::reference::{MetricRef, StringRef};

use crate::counter::{Counter, CounterClass, CounterId};
use crate::definitions::Definitions;

/// Adds the counters of an archive, whose sums are known already.
pub fn add(archive: &Archive, found: &mut Definitions) {
    let mut members: HashMap<MetricRef, Vec<CounterId>> = HashMap::new();
    for definition in archive.definitions() {
        let Definition::MetricClass(class) = definition else { continue };
        if found.sums.contains_key(&class.id.0) {
            continue;
        }
        let counters = class.metric_members.iter().map(|&member| {
            // A value without a definition keeps its place.
            let unknown = Counter::new("unknown counter", Default::default());
            let member = archive.metric_member(member);
            found.add_counter(member.map_or(unknown, |member| counter(archive, member)))
        });
        let counters: Vec<CounterId> = counters.collect();
        members.entry(class.id).or_insert(counters);
    }
    let mut scopes = HashMap::new();
    let mut classes = HashMap::new();
    for definition in archive.definitions() {
        let Definition::MetricInstance(instance) = definition else { continue };
        let Some(members) = members.get(&instance.metric_class) else { continue };
        let shared = scope(instance, &mut scopes);
        let class = CounterClass { members: members.clone(), shared };
        classes.entry(instance.id.0).or_insert(class);
    }
    for (MetricRef(id), members) in members {
        classes.entry(id).or_insert(CounterClass { members, shared: None });
    }
    found.counter_classes = classes;
}

/// The number of what several locations record an instance for.
fn scope(instance: &MetricInstance, scopes: &mut HashMap<(MetricScope, u64), u32>) -> Option<u32> {
    let next = scopes.len() as u32;
    let is_shared = instance.metric_scope != MetricScope::LOCATION;
    let key = (instance.metric_scope, instance.scope);
    is_shared.then(|| *scopes.entry(key).or_insert(next))
}

fn counter(archive: &Archive, member: &MetricMember) -> Counter {
    let text = |id: StringRef| archive.string(id).unwrap_or_default().to_owned();
    let base: f64 = if member.base == Base::BINARY { 2.0 } else { 10.0 };
    let exponent = i32::try_from(member.exponent.clamp(-300, 300)).unwrap_or_default();
    let is_integer = matches!(
        member.value_type,
        ValueType::UINT8
            | ValueType::UINT16
            | ValueType::UINT32
            | ValueType::UINT64
            | ValueType::INT8
            | ValueType::INT16
            | ValueType::INT32
            | ValueType::INT64
    );
    Counter {
        description: text(member.description),
        unit: text(member.unit),
        scale: base.powi(exponent),
        is_real: !is_integer || exponent != 0,
        ..Counter::new(&text(member.name), member.metric_mode)
    }
}
