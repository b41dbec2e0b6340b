import { InlineCode } from '../ui/InlineCode';
import classes from './ProblemList.module.css';

/** The changes of a revision or a draft, one sentence each. */
export function ChangeList({ changes }: { changes: readonly string[] }) {
  if (changes.length === 0) return <p className="dimmed">No change in what the router does.</p>;
  return (
    <ul className={classes.list} style={{ marginBottom: 12 }}>
      {changes.map((change) => (
        <li key={change}>
          <InlineCode text={change} />
        </li>
      ))}
    </ul>
  );
}
