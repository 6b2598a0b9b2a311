import type { ProjectSettings } from './project-settings.js';

/** What a request needs to know of its project. */
export interface ProjectContext {
  id: string;
  organizationId: string;
  name: string;
  organizationName: string;
  settings: ProjectSettings;
}

/** What the tokens of its customers take from a project. */
export type TokenProject = Pick<ProjectContext, 'id' | 'settings'>;

export const environments = ['development', 'staging', 'production'] as const;
export type Environment = (typeof environments)[number];

/** A project as secret keys see it. */
export interface Project {
  id: string;
  organizationId: string;
  name: string;
  slug: string;
  environment: Environment;
  settings: ProjectSettings;
  archivedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}
