//! The definitions of one experiment as definitions of the merged trace. They are taken in the
//! order of their file, in which everything is defined before its use.
//!
//! Threads and processes are those of the merged profile (`mod.rs`). Groups and
//! communicators: `groups.rs`.

use pompeii_otf2::definition::{
    Attribute, CartCoordinate, CartDimension, CartTopology, Definition, IoHandle, IoParadigm,
    IoPreCreatedHandleState, IoRegularFile, MetricClass, MetricClassRecorder, MetricInstance,
    MetricMember, Paradigm, ParadigmProperty, Parameter, Region, RmaWin,
};
use pompeii_otf2::enums::MetricScope;
use pompeii_otf2::reference::{
    AttributeRef, CartDimensionRef, CartTopologyRef, CommRef, IoFileRef, IoHandleRef,
    MetricMemberRef, MetricRef, ParameterRef, RegionRef, RmaWinRef, SystemTreeNodeRef,
};
use pompeii_otf2::value::Value;

use super::Source;
use super::communicators::Communicators;
use super::groups::{Groups, Sharing};
use super::union::{Ids, Kind, Union};
use crate::Error;
use crate::merge::MergeError;

/// Takes the definitions of one experiment over.
pub struct Taking<'a, 'b> {
    pub source: &'a Source<'a>,
    pub union: &'a mut Union<'b>,
    pub groups: &'a Groups,
    pub communicators: &'a Communicators,
    pub ids: Ids,
    /// Which communicators, windows and files other experiments have, too.
    pub sharing: Sharing,
}

impl Taking<'_, '_> {
    /// Takes over all definitions, and returns where their ids are in the merged trace.
    pub fn all(mut self) -> Result<Ids, MergeError> {
        // The union numbers texts itself.
        for definition in self.source.archive.definitions() {
            if let Definition::String(text) = definition {
                let id = self.union.archive.string(&text.string).map_err(Error::from)?;
                self.ids.set(Kind::String, text.id.0, id.0);
            }
        }
        for definition in self.source.archive.definitions() {
            if !self.take(definition)? {
                let kind = definition.name();
                return Err(MergeError::Foreign(self.source.part.name.clone(), kind));
            }
        }
        Ok(self.ids)
    }

    /// Takes over a definition; `false` if traces of Pompeii have none of its kind.
    fn take(&mut self, definition: &Definition) -> Result<bool, Error> {
        match definition {
            // These are written from the merged profile, or are there already.
            Definition::ClockProperties(_)
            | Definition::String(_)
            | Definition::SystemTreeNode(_)
            | Definition::SystemTreeNodeDomain(_)
            | Definition::LocationGroup(_)
            | Definition::Location(_) => {}
            Definition::Paradigm(of) => self.paradigm(of)?,
            Definition::ParadigmProperty(of) => self.paradigm_property(of)?,
            Definition::IoParadigm(of) => self.io_paradigm(of)?,
            Definition::Attribute(of) => self.attribute(of)?,
            Definition::Region(of) => self.region(of)?,
            Definition::Parameter(of) => self.parameter(of)?,
            Definition::MetricMember(of) => self.metric_member(of)?,
            Definition::MetricClass(of) => self.metric_class(of)?,
            Definition::MetricInstance(of) => self.metric_instance(of)?,
            Definition::MetricClassRecorder(of) => self.metric_recorder(of)?,
            Definition::Group(of) => return self.group(of),
            Definition::Comm(of) => self.comm(of)?,
            Definition::InterComm(of) => self.inter_comm(of)?,
            Definition::CartDimension(of) => self.dimension(of)?,
            Definition::CartTopology(of) => self.topology(of)?,
            Definition::CartCoordinate(of) => self.coordinate(of)?,
            Definition::RmaWin(of) => self.window(of)?,
            Definition::IoRegularFile(of) => self.file(of)?,
            Definition::IoHandle(of) => self.handle(of)?,
            Definition::IoPreCreatedHandleState(of) => self.handle_state(of)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn paradigm(&mut self, of: &Paradigm) -> Result<(), Error> {
        let new = Paradigm { name: self.ids.string(of.name), ..of.clone() };
        self.union.once(format!("{:?}", of.paradigm), new)
    }

    fn paradigm_property(&mut self, of: &ParadigmProperty) -> Result<(), Error> {
        let value = match of.value {
            Value::String(text) => Value::String(self.ids.string(text)),
            other => other,
        };
        let new = ParadigmProperty { value, ..of.clone() };
        self.union.once(format!("{:?} {:?}", of.paradigm, of.property), new)
    }

    /// Its id is the same in all traces of Pompeii: no table maps such ids in events.
    fn io_paradigm(&mut self, of: &IoParadigm) -> Result<(), Error> {
        let (identification, name) = (self.ids.string(of.identification), self.ids.string(of.name));
        let new = IoParadigm { identification, name, ..of.clone() };
        self.union.once(format!("I/O {:?}", of.id), new)
    }

    fn attribute(&mut self, of: &Attribute) -> Result<(), Error> {
        let (name, description) = (self.ids.string(of.name), self.ids.string(of.description));
        let new = |id| Attribute { id: AttributeRef(id), name, description, ..of.clone() };
        let id = self.union.shared(Kind::Attribute, new)?;
        self.ids.set(Kind::Attribute, of.id.0, id);
        Ok(())
    }

    fn region(&mut self, of: &Region) -> Result<(), Error> {
        let [name, description, source_file, canonical_name] =
            [of.name, of.description, of.source_file, of.canonical_name]
                .map(|text| self.ids.string(text));
        let new = |id| Region {
            id: RegionRef(id),
            name,
            description,
            source_file,
            canonical_name,
            ..of.clone()
        };
        let id = self.union.shared(Kind::Region, new)?;
        self.ids.set(Kind::Region, of.id.0, id);
        Ok(())
    }

    fn parameter(&mut self, of: &Parameter) -> Result<(), Error> {
        let name = self.ids.string(of.name);
        let new = |id| Parameter { id: ParameterRef(id), name, ..of.clone() };
        let id = self.union.shared(Kind::Parameter, new)?;
        self.ids.set(Kind::Parameter, of.id.0, id);
        Ok(())
    }

    fn metric_member(&mut self, of: &MetricMember) -> Result<(), Error> {
        let [name, description, unit] =
            [of.name, of.description, of.unit].map(|text| self.ids.string(text));
        let new =
            |id| MetricMember { id: MetricMemberRef(id), name, description, unit, ..of.clone() };
        let id = self.union.shared(Kind::MetricMember, new)?;
        self.ids.set(Kind::MetricMember, of.id.0, id);
        Ok(())
    }

    fn metric_class(&mut self, of: &MetricClass) -> Result<(), Error> {
        let members = of.metric_members.iter();
        let members = members.map(|own| MetricMemberRef(self.ids.get(Kind::MetricMember, own.0)));
        let metric_members: Vec<MetricMemberRef> = members.collect();
        let new = |id| MetricClass {
            id: MetricRef(id),
            metric_members: metric_members.clone(),
            ..of.clone()
        };
        let id = self.union.shared(Kind::Metric, new)?;
        self.ids.set(Kind::Metric, of.id.0, id);
        Ok(())
    }

    fn metric_instance(&mut self, of: &MetricInstance) -> Result<(), Error> {
        let metric_class = MetricRef(self.ids.get(Kind::Metric, of.metric_class.0));
        let recorder = self.source.location(of.recorder);
        let scope = match of.metric_scope {
            MetricScope::LOCATION => self.source.location(of.scope.into()).0,
            MetricScope::LOCATION_GROUP => u64::from(self.source.rank(of.scope as u32)),
            _ => of.scope,
        };
        let new =
            |id| MetricInstance { id: MetricRef(id), metric_class, recorder, scope, ..of.clone() };
        let id = self.union.own(Kind::Metric, new)?;
        self.ids.set(Kind::Metric, of.id.0, id);
        Ok(())
    }

    fn metric_recorder(&mut self, of: &MetricClassRecorder) -> Result<(), Error> {
        let metric = MetricRef(self.ids.get(Kind::Metric, of.metric.0));
        let recorder = self.source.location(of.recorder);
        Ok(self.union.archive.define(MetricClassRecorder { metric, recorder })?)
    }

    fn dimension(&mut self, of: &CartDimension) -> Result<(), Error> {
        let name = self.ids.string(of.name);
        // Topologies may have the same one, because nothing in it is of one topology.
        let new = |id| CartDimension { id: CartDimensionRef(id), name, ..of.clone() };
        let id = self.union.shared(Kind::CartDimension, new)?;
        self.ids.set(Kind::CartDimension, of.id.0, id);
        Ok(())
    }

    /// A communicator has one.
    fn topology(&mut self, of: &CartTopology) -> Result<(), Error> {
        let (name, communicator) = (self.ids.string(of.name), self.comm_id(of.communicator));
        let dimensions = of.cart_dimensions.iter();
        let dimensions =
            dimensions.map(|own| CartDimensionRef(self.ids.get(Kind::CartDimension, own.0)));
        let cart_dimensions: Vec<CartDimensionRef> = dimensions.collect();
        let new = |id| CartTopology {
            id: CartTopologyRef(id),
            name,
            communicator,
            cart_dimensions: cart_dimensions.clone(),
        };
        let key = format!("{communicator:?}");
        let (id, is_new) = self.union.shared_by(Kind::CartTopology, key, new)?;
        self.ids.set(Kind::CartTopology, of.id.0, id);
        let Some((_, joined)) = self.communicators.get(self.source, of.communicator) else {
            return Ok(());
        };
        let cart_topology = CartTopologyRef(id);
        for (world_rank, coordinates) in joined.coordinates.iter().filter(|_| is_new) {
            let rank = joined.members.iter().position(|rank| *rank == u64::from(*world_rank));
            let Some(rank) = rank.map(|rank| rank as u32) else { continue };
            let coordinates = coordinates.clone();
            self.define_coordinate(CartCoordinate { cart_topology, rank, coordinates })?;
        }
        Ok(())
    }

    fn coordinate(&mut self, of: &CartCoordinate) -> Result<(), Error> {
        let cart_topology = CartTopologyRef(self.ids.get(Kind::CartTopology, of.cart_topology.0));
        self.define_coordinate(CartCoordinate { cart_topology, ..of.clone() })
    }

    fn define_coordinate(&mut self, new: CartCoordinate) -> Result<(), Error> {
        self.union.once(format!("{:?} {}", new.cart_topology, new.rank), new)
    }

    fn window(&mut self, of: &RmaWin) -> Result<(), Error> {
        let (name, comm) = (self.ids.string(of.name), self.comm_id(of.comm));
        let new = |id| RmaWin { id: RmaWinRef(id), name, comm, ..of.clone() };
        let id = match self.sharing.next(Kind::RmaWin, &format!("{comm:?}")) {
            Some(key) if self.is_of_all(of.comm) => self.union.shared_by(Kind::RmaWin, key, new)?.0,
            _ => self.union.own(Kind::RmaWin, new)?,
        };
        self.ids.set(Kind::RmaWin, of.id.0, id);
        Ok(())
    }

    fn file(&mut self, of: &IoRegularFile) -> Result<(), Error> {
        let (name, scope) = (self.ids.string(of.name), SystemTreeNodeRef::UNDEFINED);
        let new = |id| IoRegularFile { id: IoFileRef(id), name, scope };
        let id = self.union.shared(Kind::IoFile, new)?;
        self.ids.set(Kind::IoFile, of.id.0, id);
        Ok(())
    }

    fn handle(&mut self, of: &IoHandle) -> Result<(), Error> {
        let file = IoFileRef(self.ids.get(Kind::IoFile, of.file.0));
        let (name, comm) = (self.ids.string(of.name), self.comm_id(of.comm));
        let parent = IoHandleRef(self.ids.get(Kind::IoHandle, of.parent.0));
        let new = |id| IoHandle { id: IoHandleRef(id), name, file, comm, parent, ..of.clone() };
        let id = match self.sharing.next(Kind::IoHandle, &format!("{file:?} {comm:?}")) {
            Some(key) if self.is_of_all(of.comm) => {
                self.union.shared_by(Kind::IoHandle, key, new)?.0
            }
            _ => self.union.own(Kind::IoHandle, new)?,
        };
        self.ids.set(Kind::IoHandle, of.id.0, id);
        Ok(())
    }

    fn handle_state(&mut self, of: &IoPreCreatedHandleState) -> Result<(), Error> {
        let io_handle = IoHandleRef(self.ids.get(Kind::IoHandle, of.io_handle.0));
        Ok(self.union.archive.define(IoPreCreatedHandleState { io_handle, ..of.clone() })?)
    }

    /// The new id of a communicator.
    pub fn comm_id(&self, own: CommRef) -> CommRef {
        CommRef(self.ids.get(Kind::Comm, own.0))
    }
}
