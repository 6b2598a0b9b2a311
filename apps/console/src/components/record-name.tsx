import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Problem } from '../http/problem';
import { fetchPath } from '../http/queries';
import { UntrustedText } from './untrusted-text';
import { shortId } from './id';

interface NamedRecord {
  id: string;
  name: string;
}

interface RecordNameProps {
  id: string | null | undefined;
  /** Links the name to the record. */
  link?: boolean;
  fallback?: string;
}

const FIRST_PAGE_SIZE = 200;

/**
 * Renders a record's name when only its ID is known. The first 200 names are loaded with one request, and all others
 * individually.
 */
function RecordName({
  id,
  link,
  fallback = '–',
  path,
  listPath,
}: RecordNameProps & { path: string; listPath: string }) {
  const first = useQuery<Map<string, string>, Problem>({
    queryKey: [path, 'names'],
    queryFn: async ({ signal }) => {
      const { data } = (await fetchPath(path, { query: { limit: FIRST_PAGE_SIZE } }, signal)) as {
        data: NamedRecord[];
      };
      return new Map(data.map((record) => [record.id, record.name]));
    },
    enabled: Boolean(id),
    staleTime: 60_000,
  });
  const one = useQuery<NamedRecord, Problem>({
    queryKey: [path, 'one', id],
    queryFn: async ({ signal }) => {
      const response = (await fetchPath(`${path}/${id}`, {}, signal)) as NamedRecord | { data: NamedRecord };
      return 'data' in response ? response.data : response;
    },
    enabled: Boolean(id) && first.isSuccess && !first.data.has(id!),
    staleTime: 60_000,
    retry: false,
  });
  if (!id) return fallback;
  const name = first.data?.get(id) ?? one.data?.name ?? shortId(id);
  const text = <UntrustedText text={name} oneLine />;
  if (!link) return text;
  return (
    <Anchor component={Link} to={`${listPath}/${id}`} inherit>
      {text}
    </Anchor>
  );
}

export function ProjectName(props: RecordNameProps): ReactNode {
  return <RecordName {...props} path="/operator/v1/projects" listPath="/projects" />;
}

export function OrganizationName(props: RecordNameProps): ReactNode {
  return <RecordName {...props} path="/operator/v1/organizations" listPath="/organizations" />;
}

export function EndpointName(props: RecordNameProps): ReactNode {
  return <RecordName {...props} path="/operator/v1/webhooks/endpoints" listPath="/endpoints" />;
}
