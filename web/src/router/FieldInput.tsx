/** One field of an item, by its row of the catalogue. An empty field takes its key out of the document. */
import { NativeSelect, Switch, TextInput, Textarea } from '@mantine/core';
import { useState } from 'react';
import { type Json, listOf, textOf } from './document';
import type { Setting } from './fields';
import classes from './ItemPanel.module.css';

type Props = {
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

export function FieldInput({ spec, value, error, onChange }: Props) {
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

type LinesProps = Omit<Props, 'spec'> & {
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
