/** A password to be: how long it has to be, and how strong it is. */
import { PasswordInput } from '@mantine/core';
import { StrengthMeter } from './StrengthMeter';
import { PASSWORD_CHARS_MIN } from './password';

type Props = { label: string; name: string; value: string; onChange: (value: string) => void };

export function NewPassword({ label, name, value, onChange }: Props) {
  return (
    <div>
      <PasswordInput
        label={label}
        description={`At least ${PASSWORD_CHARS_MIN} characters`}
        autoComplete="new-password"
        required
        withAsterisk={false}
        minLength={PASSWORD_CHARS_MIN}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <StrengthMeter password={value} name={name} />
    </div>
  );
}
