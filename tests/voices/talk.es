Buenos días, y bienvenidos al segundo día de nuestra conferencia.
Ayer hablamos de los ríos; hoy vamos a hablar de las personas que viven junto a ellos.
Antes de empezar, apaguen sus teléfonos, por favor, porque los micrófonos los captan.
Me llamo Elena Puertas, y he trabajado veinte años con agricultores del norte del país.
Cuando empecé, nadie medía cuánta agua necesita realmente un campo.
Pusimos un pequeño sensor en la tierra, esperamos un verano, y miramos juntos los números.
El resultado sorprendió a todos: casi la mitad del agua nunca llegaba a ninguna raíz.
Parece una mala noticia, pero es la mejor noticia que podíamos tener.
Si la mitad se pierde, entonces la mitad se puede ahorrar, y nadie tiene que renunciar a una cosecha.
¿De verdad es tan sencillo?
No, no lo es.
Un sensor cuesta tanto como un buen par de botas, se rompe cuando un tractor le pasa por encima, y alguien tiene que leerlo cada mañana.
Así que pedimos ayuda a los niños del pueblo, y lo hicieron mejor que cualquier ingeniero.
Dibujaron un mapa de los campos, pusieron un nombre a cada uno, y escribieron los números en la pared de la escuela.
Después de tres años, el río llevó agua en agosto por primera vez desde 1987.
No les cuento esto porque quiera vender sensores.
Les cuento esto porque una medida que la gente hace por sí misma es una medida en la que cree.
En los próximos veinte minutos les mostraré cómo lo hicimos, cuánto costó, y qué errores no repetiríamos.
Al final habrá tiempo para preguntas, así que anótenlas mientras escuchan.
Muchas gracias por venir, y empecemos.
