import type { ReactNode } from 'react';
import { UntrustedText } from '../parts/untrusted-text';
import { shortId } from '../parts/id';
import { useOperator } from './session';

const kindLabels: Record<string, string> = { operator: 'Operator', key: 'API key' };

interface ActorProps {
  /** "operator:…" or "key:…", as records have it. */
  actor: string | null;
  /** An e-mail, or what a key is called. */
  name?: string | null;
  /** In a row. */
  oneLine?: boolean;
}

/** Who did something. */
export function Actor({ actor, name, oneLine = false }: ActorProps): ReactNode {
  const { id: me, email } = useOperator();
  if (!actor) return '–';
  const [type = '', id = ''] = actor.split(':');
  const known = name ?? (id === me ? email : null);
  const kind = kindLabels[type] ?? type;
  if (!known) return <span title={id}>{`${kind} ${shortId(id)}`}</span>;
  return (
    <span title={id}>
      {type === 'key' && `${kind} `}
      <UntrustedText text={known} oneLine={oneLine} />
      {id === me && !oneLine && ' (you)'}
    </span>
  );
}
