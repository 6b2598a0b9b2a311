import type { ReactNode } from 'react';
import { ForeignText } from '../parts/foreign-text';
import { shortId } from '../parts/id';
import { useOperator } from './session';

const kinds: Record<string, string> = { operator: 'Operator', key: 'API key' };

interface ActorProps {
  /** "operator:…" or "key:…", as records have it. */
  by: string | null;
  /** An e-mail, or what a key is called. */
  name?: string | null;
  /** In a row. */
  oneLine?: boolean;
}

/** Who did something. */
export function Actor({ by, name, oneLine = false }: ActorProps): ReactNode {
  const { id: me, email } = useOperator();
  if (!by) return '–';
  const [type = '', id = ''] = by.split(':');
  const known = name ?? (id === me ? email : null);
  const kind = kinds[type] ?? type;
  if (!known) return <span title={id}>{`${kind} ${shortId(id)}`}</span>;
  return (
    <span title={id}>
      {type === 'key' && `${kind} `}
      <ForeignText text={known} oneLine={oneLine} />
      {id === me && !oneLine && ' (you)'}
    </span>
  );
}
