import type { ReactNode } from 'react';
import { UntrustedText } from '../components/untrusted-text';
import { shortId } from '../components/id';
import { useOperator } from '../session/session';

const kindLabels: Record<string, string> = { operator: 'Operator', key: 'API key' };

interface ActorProps {
  /** "operator:<id>" or "key:<id>", as stored in records. */
  actor: string | null;
  /** An operator's email address, or a key's name. */
  name?: string | null;
  /** Renders one line, for table rows. */
  oneLine?: boolean;
}

/** Renders the operator or the API key that performed an action. */
export function Actor({ actor, name, oneLine = false }: ActorProps): ReactNode {
  const { id: currentOperatorId, email } = useOperator();
  if (!actor) return '–';
  const [type = '', id = ''] = actor.split(':');
  const displayName = name ?? (id === currentOperatorId ? email : null);
  const kind = kindLabels[type] ?? type;
  if (!displayName) return <span title={id}>{`${kind} ${shortId(id)}`}</span>;
  return (
    <span title={id}>
      {type === 'key' && `${kind} `}
      <UntrustedText text={displayName} oneLine={oneLine} />
      {id === currentOperatorId && !oneLine && ' (you)'}
    </span>
  );
}
