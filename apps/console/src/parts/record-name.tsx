import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Problem } from '../http/problem';
import { read } from '../http/queries';
import { ForeignText } from './foreign-text';
import { shortId } from './id';

interface Named {
  id: string;
  name: string;
}

interface RecordNameProps {
  id: string | null | undefined;
  /** Whether it leads to the record. */
  link?: boolean;
  none?: string;
}

const FIRST = 200;

/** The name of a record of which only the id is at hand: the first 200 are read at once, others one by one. */
function RecordName({
  id,
  link,
  none = '–',
  path,
  place,
}: RecordNameProps & { path: string; place: string }) {
  const first = useQuery<Map<string, string>, Problem>({
    queryKey: [path, 'names'],
    queryFn: async ({ signal }) => {
      const { data } = (await read(path, { query: { limit: FIRST } }, signal)) as { data: Named[] };
      return new Map(data.map((record) => [record.id, record.name]));
    },
    enabled: Boolean(id),
    staleTime: 60_000,
  });
  const one = useQuery<Named, Problem>({
    queryKey: [path, 'one', id],
    queryFn: async ({ signal }) => (await read(`${path}/${id}`, {}, signal)) as Named,
    enabled: Boolean(id) && first.isSuccess && !first.data.has(id!),
    staleTime: 60_000,
    retry: false,
  });
  if (!id) return none;
  const name = first.data?.get(id) ?? one.data?.name ?? shortId(id);
  const text = <ForeignText text={name} oneLine />;
  if (!link) return text;
  return (
    <Anchor component={Link} to={`${place}/${id}`} inherit>
      {text}
    </Anchor>
  );
}

export function ProjectName(props: RecordNameProps): ReactNode {
  return <RecordName {...props} path="/operator/v1/projects" place="/projects" />;
}

export function OrganizationName(props: RecordNameProps): ReactNode {
  return <RecordName {...props} path="/operator/v1/organizations" place="/organizations" />;
}
