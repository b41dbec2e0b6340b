/** A new password: its required length, and its strength. */
import { PasswordInput } from '@mantine/core';
import { PASSWORD_CHARS_MIN, strengthOf } from './password';
import classes from './Password.module.css';

type Props = { label: string; name: string; value: string; onChange: (value: string) => void };

export function NewPassword({ label, name, value, onChange }: Props) {
  return (
    <div>
      <PasswordInput
        label={label}
        description={`At least ${PASSWORD_CHARS_MIN} characters`}
        autoComplete="new-password"
        required
        minLength={PASSWORD_CHARS_MIN}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <StrengthMeter password={value} name={name} />
    </div>
  );
}

/** Shows how hard a password is to guess, below the field for it. */
export function StrengthMeter({ password, name }: { password: string; name: string }) {
  const { level, word } = strengthOf(password, name);
  return (
    <div className={classes.strength} data-level={level}>
      {[1, 2, 3, 4].map((step) => (
        <span key={step} className={classes.step} data-on={step <= level} aria-hidden />
      ))}
      <span className="small alignRight" role="status">
        {word}
      </span>
    </div>
  );
}
