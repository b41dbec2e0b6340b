/** The settings in force, each with what it means and which layer it is from. */
import { Checkbox } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type Setting, settingsQuery } from '../../api/status';
import { Prose } from '../../ui/Prose';
import { countText } from '../accounts/rows';
import { FilterField, PagePart, TableFrame } from '../PagePart';
import { originText, shownSettings } from './settings';
import classes from '../Admin.module.css';
import own from './Server.module.css';

type Props = {
  find: string;
  /** Whether only those are shown that are not as shipped. */
  changed: boolean;
  onFind: (find: string) => void;
  onChanged: (changed: boolean) => void;
};

export function SettingsTab({ find, changed, onFind, onChanged }: Props) {
  const { data, error, refetch } = useQuery(settingsQuery);
  const all = data?.settings ?? [];
  const shown = shownSettings(all, find, changed);
  return (
    <PagePart
      label="Settings"
      title="Settings in force"
      note={data === undefined ? undefined : countText(shown.length, all.length)}
      tools={
        <>
          <Checkbox
            label="Changed only"
            className={own.check ?? ''}
            checked={changed}
            onChange={(event) => onChanged(event.currentTarget.checked)}
          />
          <FilterField
            label="Find a setting"
            placeholder="Name, value, meaning"
            value={find}
            onChange={onFind}
          />
        </>
      }
      isLoading={data === undefined}
      error={error}
      onRetry={() => void refetch()}
    >
      <p className={own.lead}>
        They come from the settings file, the environment and the command line; a later one wins.
        Changes take effect at the next start.
      </p>
      {data !== undefined && shown.length === 0 && (
        <p className={classes.none}>
          {find === ''
            ? 'Every setting is as shipped.'
            : `No ${changed ? 'changed ' : ''}setting matches “${find}”.`}
        </p>
      )}
      {shown.length > 0 && (
        <TableFrame
          label="List of settings"
          className={own.stacked}
          heads={['Setting', 'Value', 'From']}
        >
          {shown.map((setting) => (
            <Row key={setting.key} setting={setting} />
          ))}
        </TableFrame>
      )}
    </PagePart>
  );
}

function Row({ setting }: { setting: Setting }) {
  const { key, value, about, origin } = setting;
  const isChanged = value !== setting.default;
  return (
    <tr>
      <th scope="row" className={own.setting}>
        <code>{key}</code>
        <p>
          <Prose text={about} />
        </p>
      </th>
      <td className={own.value}>
        <code>{value === '' ? 'empty' : value}</code>
        {isChanged && <p>shipped: {setting.default === '' ? 'empty' : setting.default}</p>}
      </td>
      <td className={own.value}>
        <span className={classes.tag} data-tone={origin === 'default' ? undefined : 'strong'}>
          {originText(setting)}
        </span>
      </td>
    </tr>
  );
}
