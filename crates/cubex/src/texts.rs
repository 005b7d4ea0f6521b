//! All texts of a report at once, so that foreign text can be escaped in one place, before a line
//! for a terminal is made of it.

use crate::attributes::Attributes;
use crate::data_type::DataType;
use crate::report::Report;

impl Report {
    /// Calls `change` for each text: names, files, units, descriptions, attributes. References
    /// between definitions are numbers and stay as they are.
    pub fn change_texts(&mut self, change: &mut dyn FnMut(&mut String)) {
        pairs(&mut self.attributes, change);
        self.mirrors.iter_mut().for_each(&mut *change);
        let titles = &mut self.titles;
        let titles = [&mut titles.metrics, &mut titles.program, &mut titles.system];
        titles.into_iter().flatten().for_each(&mut *change);
        self.change_program_texts(change);
        self.change_system_texts(change);
    }

    fn change_program_texts(&mut self, change: &mut dyn FnMut(&mut String)) {
        for (_, metric) in self.metrics.iter_mut() {
            if let DataType::Other(name) = &mut metric.data_type {
                change(name);
            }
            let texts = [
                &mut metric.unique_name,
                &mut metric.display_name,
                &mut metric.unit,
                &mut metric.url,
                &mut metric.description,
            ];
            texts.into_iter().for_each(&mut *change);
            pairs(&mut metric.attributes, change);
        }
        for id in self.regions.ids() {
            let region = &mut self.regions[id];
            let texts = [
                &mut region.name,
                &mut region.mangled_name,
                &mut region.paradigm,
                &mut region.role,
                &mut region.file,
                &mut region.url,
                &mut region.description,
            ];
            texts.into_iter().for_each(&mut *change);
            pairs(&mut region.attributes, change);
        }
        for (_, call_path) in self.call_paths.iter_mut() {
            change(&mut call_path.file);
            for parameter in &mut call_path.parameters {
                [&mut parameter.key, &mut parameter.value].into_iter().for_each(&mut *change);
            }
            pairs(&mut call_path.attributes, change);
        }
    }

    fn change_system_texts(&mut self, change: &mut dyn FnMut(&mut String)) {
        for (_, node) in self.system.nodes.iter_mut() {
            let texts = [&mut node.name, &mut node.class, &mut node.description];
            texts.into_iter().for_each(&mut *change);
            pairs(&mut node.attributes, change);
        }
        for (_, group) in self.system.groups.iter_mut() {
            [&mut group.name, &mut group.kind].into_iter().for_each(&mut *change);
            pairs(&mut group.attributes, change);
        }
        for id in self.system.locations.ids() {
            let location = &mut self.system.locations[id];
            [&mut location.name, &mut location.kind].into_iter().for_each(&mut *change);
            pairs(&mut location.attributes, change);
        }
        for topology in &mut self.topologies {
            change(&mut topology.name);
            topology.dimensions.iter_mut().for_each(|dimension| change(&mut dimension.name));
        }
    }
}

fn pairs(attributes: &mut Attributes, change: &mut dyn FnMut(&mut String)) {
    for (key, value) in attributes {
        [key, value].into_iter().for_each(&mut *change);
    }
}
