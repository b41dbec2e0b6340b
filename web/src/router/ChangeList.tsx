import { InlineCode } from '../ui/InlineCode';

/** The changes of a revision or a draft, one sentence each. */
export function ChangeList({ changes }: { changes: readonly string[] }) {
  if (changes.length === 0) return <p className="dimmed">No change in what the router does.</p>;
  return (
    <ul className="bullets" style={{ marginBottom: 12 }}>
      {changes.map((change) => (
        <li key={change}>
          <InlineCode text={change} />
        </li>
      ))}
    </ul>
  );
}
