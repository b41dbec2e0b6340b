/** What happens to a message after the route, and to its sender when a target cannot keep up. */
import { Radio, Switch } from '@mantine/core';
import { type Item, type Json, listOf } from '../document';
import classes from './Editor.module.css';

type Props = {
  route: Item;
  /** A target that will be full, and in how long. */
  filling: { id: string; within: string } | undefined;
  canEdit: boolean;
  onSet: (key: string, value: Json | undefined) => void;
};

export function Afterwards({ route, filling, canEdit, onSet }: Props) {
  const isFinal = route['final'] === true;
  const slows = route['flow_control'] !== false;
  const targets = listOf(route['to']).join(' or ') || 'a target';
  const full =
    filling === undefined ? `${targets} is full` : `${filling.id} is full (in ${filling.within})`;
  return (
    <>
      <Radio.Group
        label="Afterwards"
        value={isFinal ? 'ends' : 'goes on'}
        onChange={(value) => onSet('final', value === 'ends')}
      >
        <div className={classes.choices}>
          <Choice value="ends" title="Ends here" about="No later route sees it" off={!canEdit} />
          <Choice
            value="goes on"
            title="Also goes on"
            about="Later routes get a copy"
            off={!canEdit}
          />
        </div>
      </Radio.Group>
      <Switch
        label="Only what no earlier route took"
        description="A fallback: put it last."
        disabled={!canEdit}
        checked={route['fallback'] === true}
        onChange={(event) => onSet('fallback', event.currentTarget.checked ? true : undefined)}
      />
      <Switch
        label="Slow senders down"
        description={
          slows
            ? `On: when ${full}, senders wait, and no message is lost.`
            : `Off: when ${full}, messages for it are dropped and counted.`
        }
        disabled={!canEdit}
        checked={slows}
        onChange={(event) => onSet('flow_control', event.currentTarget.checked ? undefined : false)}
      />
    </>
  );
}

type ChoiceProps = { value: string; title: string; about: string; off: boolean };

function Choice({ value, title, about, off }: ChoiceProps) {
  return (
    <Radio.Card value={value} className={classes.choice ?? ''} disabled={off}>
      <Radio.Indicator size="xs" />
      <span>
        <b>{title}</b>
        <br />
        <span className="dimmed">{about}</span>
      </span>
    </Radio.Card>
  );
}
