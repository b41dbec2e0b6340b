/** Everything that a message carries, below its line. */
import { ActionIcon, Anchor, Tooltip } from '@mantine/core';
import { IconEqual, IconEqualNot } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Message } from '../api/model';
import { Copy } from '../ui/Copy';
import classes from './LineDetail.module.css';

const LABEL_CHARACTERS_MAX = 120;

type Props = {
  message: Message;
  searchLink: string;
  onFilter: (field: string, value: string, exclude: boolean) => void;
};

export function LineDetail({ message, searchLink, onFilter }: Props) {
  return (
    <div className={classes.detail}>
      <div className={classes.head}>
        <Anchor href={searchLink} size="sm" underline="always">
          Open in Search
        </Anchor>
        <Copy what="raw message" text={message.raw} />
      </div>
      <pre className={classes.text}>{message.message}</pre>
      <dl className={classes.fields}>
        {fieldsOf(message).map(([field, value], at) => (
          <div key={at} className={classes.row}>
            <dt>{field}</dt>
            <dd>
              <span className={classes.value}>{value}</span>
              <FieldAction
                label={`Include ${field}=${value}`}
                onClick={() => onFilter(field, value, false)}
              >
                <IconEqual size={16} />
              </FieldAction>
              <FieldAction
                label={`Exclude ${field}=${value}`}
                onClick={() => onFilter(field, value, true)}
              >
                <IconEqualNot size={16} />
              </FieldAction>
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function FieldAction(props: { label: string; onClick: () => void; children: ReactNode }) {
  const label = props.label.slice(0, LABEL_CHARACTERS_MAX);
  return (
    <Tooltip label={label}>
      <ActionIcon aria-label={label} onClick={props.onClick}>
        {props.children}
      </ActionIcon>
    </Tooltip>
  );
}

function fieldsOf(message: Message): [field: string, value: string][] {
  const own = Object.entries(message.fields).flatMap(([field, values]) =>
    [values].flat().map((value): [string, string] => [field, value]),
  );
  const known: [string, string | null][] = [
    ['host', message.host],
    ['program', message.program],
    ['pid', message.pid],
    ['msgid', message.msgid],
    ['severity', message.severity_name],
    ['facility', message.facility_name],
    ['source', message.source],
    ['peer', message.peer],
    ['logspace', message.logspace],
  ];
  return [
    ...own,
    ...known.flatMap(([field, value]): [string, string][] => (value ? [[field, value]] : [])),
  ];
}
