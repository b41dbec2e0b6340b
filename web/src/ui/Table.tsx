/** A table: the heads of its columns over its rows. */
import { type ComponentProps, Fragment, type ReactElement, type ReactNode } from 'react';

type Props = ComponentProps<'table'> & {
  /** Texts, or heads of their own. */
  heads: readonly (string | ReactElement)[];
  /** For heads that only a screen reader needs. */
  headClassName?: string;
  foot?: ReactNode;
};

export function Table({ heads, headClassName, foot, children, ...rest }: Props) {
  return (
    <table {...rest}>
      <thead className={headClassName}>
        <tr>
          {heads.map((head, at) =>
            typeof head === 'string' ? (
              <th key={at} scope="col">
                {head}
              </th>
            ) : (
              <Fragment key={at}>{head}</Fragment>
            ),
          )}
        </tr>
      </thead>
      <tbody>{children}</tbody>
      {foot}
    </table>
  );
}

/** The head of a column that needs no head for those who see what is in it. */
export function UnseenHead({ label }: { label: string }) {
  return (
    <th scope="col">
      <span className="unseen">{label}</span>
    </th>
  );
}
