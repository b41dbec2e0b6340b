/** Says how hard a password is to guess, below the field where it is chosen. */
import { strengthOf } from './password';
import classes from './Password.module.css';

export function StrengthMeter({ password, name }: { password: string; name: string }) {
  const { level, word } = strengthOf(password, name);
  return (
    <div className={classes.strength} data-level={level}>
      {[1, 2, 3, 4].map((step) => (
        <span key={step} className={classes.step} data-on={step <= level} aria-hidden />
      ))}
      <span className={classes.word} role="status">
        {word}
      </span>
    </div>
  );
}
