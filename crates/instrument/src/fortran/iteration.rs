//! Calls in the body of a loop: the iterations of the tasks of a `taskloop`, and those of a
//! worksharing loop if chunks are wanted.
//!
//! Every way to the end of an iteration gets the call: END DO, each CYCLE of the loop, and the
//! labelled statement that ends it, which GOTO can reach. The latter would have to come behind our
//! call, so such a loop becomes one that END DO closes.

use super::class::Class;
use super::code::Code;
use super::events::Target;
use super::plan::{LevelPlan, Plan};
use super::rewrite::Rewriter;
use super::scan::{Kind, Statement};
use super::site::{Body, Site};
use super::text::Extra;
use super::wide;
use crate::directives::Level;
use std::rc::Rc;

impl Rewriter<'_> {
    /// The level of a construct whose iterations get events.
    fn iterating(&self, id: usize) -> Option<(Rc<Plan>, LevelPlan)> {
        let plan = self.plans.plans[id].clone()?;
        let level = plan.levels.last().copied().filter(|level| level.iterations && !plan.whole)?;
        Some((plan, level))
    }

    /// First in the body.
    pub(super) fn body_begin(&mut self, id: usize) {
        let Some((plan, level)) = self.iterating(id) else { return };
        let site = &self.facts.nest.sites[id];
        let Some(body) = &site.body else { return };
        let to = Target::new(site, plan.number);
        self.after(body.begin, |this| {
            if matches!(level.level, Level::Taskloop { .. }) {
                let extras = &[Extra::In, Extra::Out];
                this.call(to, ("Taskloop", "begin"), extras, &['l', 't']);
            } else {
                let number = this.iteration_number(site).unwrap_or(",0_8,0_8".to_owned());
                let extras = &[Extra::In, Extra::In];
                this.call_with(to, ("Iteration", "begin"), extras, &number);
            }
            if let Some(label) = this.label_to_keep(body) {
                this.write_statement(&format!("if (.false.) goto {label}"));
            }
        });
        for &statement in &body.labelled {
            self.drop_label_of_do(statement);
        }
    }

    /// The label of the last statement, which no DO statement names any more: compilers warn of
    /// labels that nobody uses. An inner loop that ends there names it still.
    fn label_to_keep(&self, body: &Body) -> Option<u32> {
        let label_of = |statement: &Statement| match statement.kind {
            Kind::Code(Class::Do { label, .. }) => Some(label).filter(|label| *label != 0),
            _ => None,
        };
        let label = label_of(&self.statement(*body.labelled.first()?))?;
        let behind = self.facts.scan.statements.get(body.begin + 1..)?;
        let mut inside = behind.iter().take_while(|statement| statement.label != label);
        (!inside.any(|statement| label_of(statement) == Some(label))).then_some(label)
    }

    fn iteration_end(&mut self, to: Target, level: LevelPlan) {
        if matches!(level.level, Level::Taskloop { .. }) {
            self.with_id_of(to, ("Taskloop", "end"), Extra::In, 't');
        } else {
            self.call(to, ("Iteration", "end"), &[], &[]);
        }
    }

    /// Last in the body, which ends with the statement `at`.
    pub(super) fn body_end(&mut self, id: usize, at: usize) {
        let Some((plan, level)) = self.iterating(id) else { return };
        let site = &self.facts.nest.sites[id];
        let Some(body) = &site.body else { return };
        let to = Target::new(site, plan.number);
        let statement = self.statement(at);
        if statement.kind != Kind::Code(Class::EndDo) {
            return self.after(at, |this| {
                this.iteration_end(to, level);
                body.labelled.iter().for_each(|_| this.write_statement("end do"));
            });
        }
        self.end_in_front(to, level, at);
        // It ends one loop from now on, and may have ended several.
        let others = body.labelled.len().saturating_sub(1);
        if others > 0 {
            self.after(at, |this| (0..others).for_each(|_| this.write_statement("end do")));
        }
    }

    /// The end of an iteration in front of a statement, which hands its label to it.
    fn end_in_front(&mut self, to: Target, level: LevelPlan, at: usize) {
        let statement = self.statement(at);
        if statement.label != 0 {
            self.drop_label(statement);
        }
        self.in_front(at, |this| {
            if statement.label != 0 {
                this.writer.labelled(this.edits.text(), statement.label, "continue");
            }
            this.iteration_end(to, level);
        });
    }

    /// In front of a CYCLE.
    pub(super) fn iteration_cycle(&mut self, id: usize, at: usize) {
        let Some((plan, level)) = self.iterating(id) else { return };
        let to = Target::new(&self.facts.nest.sites[id], plan.number);
        let statement = self.statement(at);
        let Kind::Code(Class::Cycle { conditional, .. }) = statement.kind else { return };
        if !conditional {
            return self.end_in_front(to, level, at);
        }
        let code = self.code(statement);
        let from = code.text.iter().position(|c| *c == b'(');
        let Some(word) = from.and_then(|from| code.behind_parenthesis(from)) else { return };
        let name = String::from_utf8_lossy(&code.text[word..]).into_owned();
        for (index, offset) in code.at[word..].iter().enumerate() {
            let text: &[u8] = if index == 0 { b"then" } else { b"" };
            self.edits.replace(*offset..offset + 1, text);
        }
        self.after(at, |this| {
            this.iteration_end(to, level);
            this.write_statement(name.replacen("cycle", "cycle ", 1).trim_end());
            this.write_statement("end if");
        });
    }

    /// Whether the text may have integers of 16 bytes. They are shortened by INT then; else sums
    /// with what our routine gets do without a name that the user may have given to something else.
    pub(super) fn has_wide_integers(&self) -> bool {
        *self.wide.get_or_init(|| wide::has_wide_integers(self.source))
    }

    fn code(&self, statement: Statement) -> Code {
        Code::of(self.source, self.facts.scan, self.writer.form, statement)
    }

    /// Blanks for the label in `do 10 i = 1, n`.
    fn drop_label_of_do(&mut self, at: usize) {
        let code = self.code(self.statement(at));
        let named = code.text.iter().position(|c| *c == b':').map_or(0, |colon| colon + 1);
        let label = |c: &&u8| c.is_ascii_digit();
        // A label of its own stands in front in free form.
        let own = if named == 0 { code.text.iter().take_while(label).count() } else { named };
        let from = own + 2;
        let mut digits = code.text[from..].iter().take_while(label).count();
        digits += usize::from(code.text.get(from + digits) == Some(&b','));
        for offset in &code.at[from..from + digits] {
            self.edits.replace(*offset..offset + 1, " ");
        }
    }

    /// Blanks for the label of a statement.
    fn drop_label(&mut self, statement: Statement) {
        let line = self.facts.scan.lines[statement.first];
        let start = if self.writer.form.is_fixed() { line.start } else { statement.start };
        let text = self.source[start..line.end].iter();
        let digits = text.take_while(|c| c.is_ascii_digit() || **c == b' ');
        for (index, c) in digits.enumerate() {
            if c.is_ascii_digit() {
                self.edits.replace(start + index..start + index + 1, " ");
            }
        }
    }

    /// The loop's variable and step for the number of an iteration, where there is one loop.
    fn iteration_number(&self, site: &Site) -> Option<String> {
        let body = site.body.as_ref()?;
        let code = self.code(self.statement(body.begin));
        let equals = code.text.iter().position(|c| *c == b'=')?;
        let mut commas = Vec::new();
        let mut depth = 0;
        for (index, c) in code.text.iter().enumerate().skip(equals) {
            match c {
                b'(' | b'[' => depth += 1,
                b')' | b']' => depth -= 1,
                b',' if depth == 0 => commas.push(index),
                _ => {}
            }
        }
        let variable = self.loop_variables(site.opened, 2);
        let directive = &self.facts.parsed[site.directive].directive;
        let text = &self.facts.scan.directives[site.directive].text;
        let one = crate::directives::depth(text, directive) == Some(1);
        let variable = variable.first().filter(|_| one && !code.strings)?;
        let step = match commas.get(1) {
            Some(comma) => String::from_utf8_lossy(&code.text[comma + 1..]).into_owned(),
            None => "1".to_owned(),
        };
        match self.has_wide_integers() {
            true => Some(format!(",int({variable},8),int({step},8)")),
            false => Some(format!(",0_8+{variable},0_8+({step})")),
        }
    }
}
