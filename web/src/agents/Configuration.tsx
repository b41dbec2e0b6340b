/** The documentation of an agent, with everything filled in. */
import { Anchor } from '@mantine/core';
import { Command } from '../ui/Copy';
import { Notice } from '../ui/Notice';
import { isLocal } from '../ui/firstMessage';
import { type ListenerNeed, type SendTarget, fill, meets, needsOf } from './fill';
import { type Agent, runsOf } from './guide';
import classes from './AgentsPage.module.css';
import { address } from '../ui/open';

type Props = {
  agent: Agent;
  place: SendTarget;
  sources: readonly string[];
  /** Whether the server would tell this user where it listens. */
  mayKnowPorts: boolean;
};

export function Configuration(props: Props) {
  const { agent, place, sources, mayKnowPorts } = props;
  const { name, blocks } = agent;
  const codes = blocks.filter(({ kind }) => kind === 'code');
  const labelOf = (block: (typeof blocks)[number]) =>
    codes.length === 1
      ? `${name} configuration`
      : `${name} configuration ${codes.indexOf(block) + 1}`;
  return (
    <div className={classes.configuration}>
      {blocks.map((block, at) => {
        const text = fill(block.text, place);
        if (block.kind === 'text') return <Paragraph key={at} text={text} />;
        return (
          <div key={at} className={classes.block}>
            <Command label={labelOf(block)} text={text} />
            {needsOf(block.text).map((need) => (
              <Reach
                key={need.kind}
                need={need}
                place={place}
                sources={sources}
                mayKnowPorts={mayKnowPorts}
              />
            ))}
          </div>
        );
      })}
    </div>
  );
}

type ReachProps = Omit<Props, 'agent'> & { need: ListenerNeed };

/** Problems that would otherwise only show as an endless wait. */
function Reach({ need, place: { host, listeners }, sources, mayKnowPorts }: ReachProps) {
  if (listeners === null) return <PortUnknown need={need} mayKnow={mayKnowPorts} />;
  const router = (
    <Anchor inherit underline="always" href={address('/router')}>
      Router
    </Anchor>
  );
  const fitting = listeners.filter((listener) => meets(listener, need));
  if (fitting.length > 0) {
    const isOutOfReach = fitting.every((listener) => listener.isLocal) && !isLocal(`//${host}`);
    if (!isOutOfReach) return null;
    return (
      <Notice tone="caution" title="Only programs on the server’s own computer reach this">
        For others, an operator gives the source an address such as 0.0.0.0 in {router}.
      </Notice>
    );
  }
  const source = sources.find((text) => text.includes(`kind = "${need.kind}"`));
  const { kind, scheme, port } = need;
  return (
    <Notice
      tone="caution"
      title={`Nothing listens for this yet: a source of kind ${kind} is missing`}
    >
      <p>
        An operator adds it in {router}, listening on{' '}
        <code className={classes.code}>{`${scheme}://0.0.0.0:${port}`}</code>
        {source === undefined ? '.' : ', or as text:'}
      </p>
      {source !== undefined && <Command label={`${kind} source`} text={source} />}
    </Notice>
  );
}

function PortUnknown({
  need: { kind, scheme },
  mayKnow,
}: {
  need: ListenerNeed;
  mayKnow: boolean;
}) {
  const what = kind === scheme ? kind : `${kind} over ${scheme}`;
  if (mayKnow) {
    return <p className="dimmed">PORT is filled in as soon as the server says where it listens.</p>;
  }
  return (
    <Notice tone="caution" title={`The port for ${what} is not known to you`}>
      PORT stands in its place. An administrator or an operator sees it on this page.
    </Notice>
  );
}

function Paragraph({ text }: { text: string }) {
  return (
    <p>
      {runsOf(text).map(({ kind, text: words }, at) => {
        switch (kind) {
          case 'plain':
            return words;
          case 'code':
            return (
              <code key={at} className={classes.code}>
                {words}
              </code>
            );
          case 'emphasis':
            return <em key={at}>{words}</em>;
        }
      })}
    </p>
  );
}
