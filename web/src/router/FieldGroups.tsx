/** The settings of an item, group by group. A group with a problem is open: what is wrong must be in sight. */
import { useState } from 'react';
import type { DocumentProblem } from '../api/model';
import { FieldInput } from './FieldInput';
import { type Item, type Json, type Section, valueAt } from './document';
import { type FieldGroup, groupsOf, setText } from './fieldGroups';
import type { Setting } from './fields';
import { problemOfField } from './problems';
import classes from './ItemPanel.module.css';

type Props = {
  section: Section;
  fields: readonly Setting[];
  item: Item;
  problems: readonly DocumentProblem[];
  onSet: (key: string, value: Json | undefined) => void;
};

export function FieldGroups({ section, fields, ...shared }: Props) {
  return groupsOf(section, fields).map((group) =>
    group.isAdvanced ? (
      <Folded key={group.name} group={group} {...shared} />
    ) : (
      <Fields key={group.name} fields={group.fields} {...shared} />
    ),
  );
}

type GroupProps = Omit<Props, 'section' | 'fields'>;

function Folded({ group, ...shared }: GroupProps & { group: FieldGroup }) {
  const { name, fields } = group;
  const isWrong = fields.some(({ key }) => problemOfField(shared.problems, key) !== undefined);
  const set = setText(fields, shared.item);
  const [isOpen, setOpen] = useState(false);
  // It stays open when the problem is gone: somebody is writing there.
  if (isWrong && !isOpen) setOpen(true);
  return (
    <details
      className={classes.group}
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <b>{name}</b> <span title={set}>{set === '' ? 'defaults' : set}</span>
      </summary>
      <div className="stack gap12 minWidth0 fullWidth">
        <Fields fields={fields} {...shared} />
      </div>
    </details>
  );
}

function Fields({ fields, item, problems, onSet }: GroupProps & { fields: readonly Setting[] }) {
  return fields.map((field) => (
    <FieldInput
      key={field.key}
      spec={field}
      value={valueAt(item, field.key)}
      error={problemOfField(problems, field.key)}
      onChange={(value) => onSet(field.key, value)}
    />
  ));
}
