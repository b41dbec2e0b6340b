/** The settings of an item, group by group. A group with a problem is open: what is wrong must be in sight. */
import { useState } from 'react';
import { NativeSelect, Switch, TextInput, Textarea } from '@mantine/core';
import type { DocumentProblem } from '../api/model';
import { type Item, type Json, type Section, listOf, textOf, valueAt } from './document';
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
      <div className={classes.fields}>
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

type FieldInputProps = {
  spec: Setting;
  value: Json | undefined;
  error: string | undefined;
  onChange: (value: Json | undefined) => void;
};

const order: ('label' | 'input' | 'description' | 'error')[] = [
  'label',
  'input',
  'description',
  'error',
];

/** One field of an item, by its row of the catalogue. An empty field takes its key out of the document. */
function FieldInput({ spec, value, error, onChange }: FieldInputProps) {
  const common = {
    label: spec.label,
    description: spec.help,
    error,
    inputWrapperOrder: order,
    placeholder: spec.placeholder ?? spec.default ?? '',
    spellCheck: false,
  };
  switch (spec.kind) {
    case 'text':
    case 'size':
    case 'duration':
    case 'number': {
      const read = spec.kind === 'number' ? numberOf : (text: string) => text;
      return (
        <TextInput
          {...common}
          value={textOf(value)}
          onChange={({ currentTarget: { value: text } }) =>
            onChange(text === '' ? undefined : read(text))
          }
        />
      );
    }
    case 'choice':
      return (
        <NativeSelect
          label={common.label}
          description={common.description}
          error={error}
          inputWrapperOrder={order}
          size="sm"
          value={value === spec.default ? '' : textOf(value)}
          onChange={({ currentTarget: { value: text } }) =>
            onChange(text === '' ? undefined : text)
          }
          data={choicesOf(spec, value)}
        />
      );
    case 'switch': {
      const standard = spec.default === 'true';
      return (
        <Switch
          label={common.label}
          description={common.description}
          error={error}
          checked={value === undefined ? standard : value === true}
          onChange={({ currentTarget: { checked } }) =>
            onChange(checked === standard ? undefined : checked)
          }
        />
      );
    }
    case 'list':
      return <LinesInput {...common} value={value} onChange={onChange} />;
    case 'later':
      return null;
  }
}

/** The default comes first and is what an empty field means; without one there is nothing to choose by. */
function choicesOf({ choices = [], default: standard }: Setting, value: Json | undefined) {
  const others = choices.filter((choice) => choice !== standard);
  const list = others.map((choice) => ({ value: choice, label: choice }));
  if (standard !== undefined) return [{ value: '', label: `${standard} (default)` }, ...list];
  return value === undefined ? [{ value: '', label: 'Choose…' }, ...list] : list;
}

type LinesProps = Omit<FieldInputProps, 'spec'> & {
  label: string;
  description: string;
  placeholder: string;
  inputWrapperOrder: typeof order;
};

/** Keeps the text as it is typed, empty lines included; the document gets the lines that say something. */
function LinesInput({ value, onChange, ...common }: LinesProps) {
  const [text, setText] = useState(listOf(value).join('\n'));
  return (
    <Textarea
      {...common}
      classNames={{ input: classes.mono ?? '' }}
      autosize
      minRows={1}
      value={text}
      onChange={({ currentTarget: { value: typed } }) => {
        setText(typed);
        onChange(linesOf(typed));
      }}
    />
  );
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** Text that is not a number stays as it was typed, for the server to report. */
function numberOf(text: string): Json {
  return /^\d{1,15}$/.test(text) ? Number(text) : text;
}
