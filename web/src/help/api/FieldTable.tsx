/** The fields of an object, those of inner objects indented. */
import { Prose } from '../../ui/Prose';
import type { Row } from './schema';
import classes from './Api.module.css';

export function FieldTable({ label, rows }: { label: string; rows: readonly Row[] }) {
  return (
    <div className="scrollX" tabIndex={0} role="region" aria-label={label}>
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Type</th>
            <th scope="col">Meaning</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, depth, type, isRequired, about }, at) => (
            <tr key={at}>
              <td style={{ paddingLeft: 8 + 16 * depth }}>
                <code>{name}</code>
              </td>
              <td>
                {type}
                {isRequired && <span className="caution"> required</span>}
              </td>
              <td>
                <Prose text={about} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
