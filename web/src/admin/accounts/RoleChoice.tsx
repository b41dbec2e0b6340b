/** The choice of an account's role. */
import { Radio } from '@mantine/core';
import type { Role } from '../../api/users';
import classes from './Panel.module.css';

type Props = { roles: readonly Role[]; value: Role; onChange: (role: Role) => void };

export function RoleChoice({ roles, value, onChange }: Props) {
  return (
    <Radio.Group
      label="Role"
      value={value}
      onChange={(chosen) => onChange(roles.find((role) => role === chosen) ?? value)}
    >
      <div className={classes.roles}>
        {roles.map((role) => (
          <Radio.Card key={role} value={role} className={classes.role ?? ''} aria-label={role}>
            <Radio.Indicator size="xs" />
            <span>
              <b>{titleOf(role)}</b>
              {abouts[role]}
            </span>
          </Radio.Card>
        ))}
      </div>
    </Radio.Group>
  );
}

function titleOf(role: Role): string {
  return role.charAt(0).toUpperCase() + role.slice(1);
}

const abouts: Readonly<Record<Role, string>> = {
  ingest: 'only sends',
  analyst: 'searches',
  operator: 'and changes',
  admin: 'and grants',
};
