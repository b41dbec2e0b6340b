/** Fields of forms that tell their value, rather than an event. */
import { NativeSelect, SegmentedControl, TextInput } from '@mantine/core';
import type { ComponentProps } from 'react';

type TextProps = Omit<ComponentProps<typeof TextInput>, 'value' | 'onChange'> & {
  value: string;
  /** Whether the browser neither completes it nor makes its first letter a capital. */
  exact?: boolean;
  onChange: (text: string) => void;
};

/** A line of text in which the browser marks no spelling, such as a name or a query. */
export function TextField({ exact = false, onChange, ...rest }: TextProps) {
  return (
    <TextInput
      spellCheck={false}
      {...(exact && { autoComplete: 'off', autoCapitalize: 'off' })}
      {...rest}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

type SelectProps = Omit<ComponentProps<typeof NativeSelect>, 'onChange'> & {
  onChange: (value: string) => void;
};

/** A choice from a list that the browser opens. */
export function SelectField({ onChange, ...rest }: SelectProps) {
  return <NativeSelect {...rest} onChange={(event) => onChange(event.currentTarget.value)} />;
}

type SwitchProps<Value extends string> = {
  label: string;
  value: Value;
  /** The text of each value. */
  texts: Readonly<Record<Value, string>>;
  /** The values that can be chosen, if not all of them. */
  offered?: readonly Value[];
  onChange: (value: Value) => void;
};

/** A choice among a few, all of which are in view. */
export function Switcher<Value extends string>(props: SwitchProps<Value>) {
  const { label, texts, offered = Object.keys(texts) as Value[], ...rest } = props;
  const data = offered.map((value) => ({ value, label: texts[value] }));
  return <SegmentedControl<Value> aria-label={label} data={data} {...rest} />;
}
