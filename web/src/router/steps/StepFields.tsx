/** The form of one step. */
import { Menu, NativeSelect, TextInput, Textarea } from '@mantine/core';
import { useState } from 'react';
import type { Item } from '../document';
import { readFrom, withSetting, writtenIn } from './stepText';
import { type StepField, fieldsOf, stepKinds } from './steps';

type Props = {
  step: Item;
  kind: string;
  /** The server's problem with the step. */
  error: string | undefined;
  onChange: (step: Item) => void;
};

export function StepFields({ step, kind, error, onChange }: Props) {
  const spec = stepKinds.find((one) => one.kind === kind);
  return (
    <div className="stack gap8">
      <p className="dimmed">
        {spec?.does ?? 'This form does not know this kind of step. Change it in the text.'}
      </p>
      {fieldsOf(step).map((field) => (
        <Field
          key={field.key}
          field={field}
          step={step}
          error={field.key === kind ? error : undefined}
          isNeeded={field.key in (spec?.initial ?? {})}
          onChange={onChange}
        />
      ))}
    </div>
  );
}

type FieldProps = {
  field: StepField;
  step: Item;
  error: string | undefined;
  isNeeded: boolean;
  onChange: (step: Item) => void;
};

function Field({ field, step, error, isNeeded, onChange }: FieldProps) {
  const written = writtenIn(field, step[field.key]);
  // The field keeps the text as it was typed, even if it reads the same as something shorter: `a, `.
  const [typed, setTyped] = useState(written);
  const isMine =
    JSON.stringify(readFrom(field, typed)) === JSON.stringify(readFrom(field, written));
  const value = isMine ? typed : written;
  const change = (text: string) => {
    setTyped(text);
    onChange(withSetting(step, field, text, isNeeded));
  };
  const common = { label: field.label, error, placeholder: field.placeholder ?? '' };
  switch (field.kind) {
    case 'choice':
      return (
        <NativeSelect
          size="sm"
          label={field.label}
          error={error}
          value={value}
          data={[...(field.choices ?? [])]}
          onChange={(event) => change(event.currentTarget.value)}
        />
      );
    case 'pairs':
      return (
        <Textarea
          {...common}
          autosize
          minRows={1}
          spellCheck={false}
          classNames={{ input: 'mono' }}
          value={value}
          onChange={(event) => change(event.currentTarget.value)}
        />
      );
    case 'text':
    case 'list':
    case 'number':
      return (
        <TextInput
          {...common}
          spellCheck={false}
          classNames={{ input: 'mono' }}
          value={value}
          onChange={(event) => change(event.currentTarget.value)}
        />
      );
  }
}

/** The kinds of steps that can be added, with what each does. */
export function StepKindItems({ onAdd }: { onAdd: (step: Item) => void }) {
  return stepKinds.map(({ kind, does, initial }) => (
    <Menu.Item key={kind} onClick={() => onAdd(initial)}>
      <b>{kind}</b> <span className="dimmed">{does}</span>
    </Menu.Item>
  ));
}
