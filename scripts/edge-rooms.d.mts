import type { Plugin } from 'rolldown'

export function edgeRooms(): Plugin
