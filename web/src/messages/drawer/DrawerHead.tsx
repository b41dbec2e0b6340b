/**
 * The header of the drawer: the message, its neighbours in the results, its link, and the close
 * button.
 */
import { ActionIcon, Tooltip } from '@mantine/core';
import {
  IconBellOff,
  IconChevronDown,
  IconChevronUp,
  IconLink,
  IconRoute,
  IconX,
} from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import type { Message } from '../../api/model';
import { Copy } from '../../ui/Copy';
import { Severity } from '../../ui/Severity';
import { copyText } from '../../ui/clipboard';
import type { Hits } from '../../ui/highlight';
import { HighlightedText } from '../../ui/message/HighlightedText';
import { useOpen } from '../../ui/open';
import { formatTime, useZone } from '../../ui/time';
import { useEdit, valueEdit } from '../../ui/query/useEdit';
import { type MessageState, permalink, routerHref } from '../messageState';
import { titleOf } from './title';
import classes from './Drawer.module.css';

type Props = {
  id: string;
  message: Message | undefined;
  messages: readonly Message[];
  hits: Hits;
  onChange: (part: Partial<MessageState>) => void;
  onClose: () => void;
};

export function DrawerHead({ id, message, messages, hits, onChange, onClose }: Props) {
  const [zone] = useZone();
  const at = messages.findIndex((other) => other.id === id);
  const step = (by: 1 | -1) => {
    const next = messages[at + by];
    if (next !== undefined) onChange({ open: next.id });
  };
  return (
    <div className={classes.head}>
      <div className="flex alignStart minHeight28">
        <div className={classes.who}>
          {message !== undefined && (
            <>
              <time dateTime={message.time}>{formatTime(message.time, zone)}</time>
              <span className="flex gap12 minWidth0">
                <Severity message={message} />
                <span className="truncate">{message.host}</span>
                <span className="truncate">
                  {message.program}
                  {message.pid !== '' && <span className="dimmed">[{message.pid}]</span>}
                </span>
              </span>
            </>
          )}
        </div>
        <Step label="Newer message" disabled={at < 1} onClick={() => step(-1)}>
          <IconChevronUp size={18} />
        </Step>
        <Step
          label="Older message"
          disabled={at === -1 || at === messages.length - 1}
          onClick={() => step(1)}
        >
          <IconChevronDown size={18} />
        </Step>
        <CopyLink id={id} />
        {message !== undefined && <InRouter message={message} />}
        <Step label="Close" onClick={onClose}>
          <IconX size={18} />
        </Step>
      </div>
      <div className={classes.said}>
        <h2 className={classes.title}>
          {message === undefined ? (
            `Message ${id}`
          ) : (
            <HighlightedText text={titleOf(message)} field="message" hits={hits} />
          )}
        </h2>
        {message !== undefined && <Copy what="message" text={message.message} />}
      </div>
    </div>
  );
}

/** How the router treats such messages, and a way to drop them there. */
function InRouter({ message }: { message: Message }) {
  const open = useOpen();
  const edit = useEdit('');
  const { id, host, program } = message;
  const mute = () => {
    const known = [valueEdit('host', host, false), valueEdit('program', program, false)];
    const edits = known.filter((_, at) => [host, program][at] !== '');
    edit(edits, (query) => open(routerHref({ mute: query, of: id })));
  };
  return (
    <>
      <Step label="Trace in the router" onClick={() => open(routerHref({ trace: id }))}>
        <IconRoute size={18} />
      </Step>
      <Step label="Mute this in a route" onClick={mute}>
        <IconBellOff size={18} />
      </Step>
    </>
  );
}

function CopyLink({ id }: { id: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    setCopied(await copyText(new URL(permalink(id), location.href).href));
    setTimeout(() => setCopied(false), 1_500);
  };
  return (
    <Step label={copied ? 'Copied' : 'Copy link'} onClick={() => void copy()}>
      <IconLink size={18} />
    </Step>
  );
}

type StepProps = {
  label: string;
  disabled?: boolean;
  onClick: () => void;
  children: ReactNode;
};

function Step({ label, disabled = false, onClick, children }: StepProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon aria-label={label} disabled={disabled} onClick={onClick}>
        {children}
      </ActionIcon>
    </Tooltip>
  );
}
