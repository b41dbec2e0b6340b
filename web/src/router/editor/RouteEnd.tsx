/** The end of a route: where a message goes next, and what its sender notices when a target cannot keep up. */
import { Radio, Switch } from '@mantine/core';
import type { Item, ItemPlace, Json, RouterDocument } from '../document';
import { endsText, goesOnText, laterRoutes, slowText } from './routeEndText';
import classes from './Editor.module.css';

type Props = {
  document: RouterDocument;
  place: ItemPlace;
  route: Item;
  /** Whether it is not live yet: then it is asked what one most likely did not think of. */
  isDraft: boolean;
  /** A target that will be full, and in how long. */
  filling: { id: string; within: string } | undefined;
  canEdit: boolean;
  onSet: (key: string, value: Json | undefined) => void;
};

export function RouteEnd(props: Props) {
  const { document, place, route, isDraft, filling, canEdit, onSet } = props;
  const later = laterRoutes(document, place);
  const isAsked = isDraft && route['final'] === undefined && later.length > 0;
  return (
    <>
      <Radio.Group
        label={isAsked ? 'A copy, or instead?' : 'Afterwards'}
        description={isAsked ? 'Until you choose, it is a copy.' : undefined}
        value={isAsked ? '' : route['final'] === true ? 'ends' : 'goes on'}
        onChange={(value) => onSet('final', value === 'ends')}
      >
        <div className={classes.choices}>
          <Choice value="ends" title="Ends here" about={endsText(later)} off={!canEdit} />
          <Choice value="goes on" title="Also goes on" about={goesOnText(later)} off={!canEdit} />
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
        description={slowText(document, route, filling)}
        disabled={!canEdit}
        checked={route['flow_control'] !== false}
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
